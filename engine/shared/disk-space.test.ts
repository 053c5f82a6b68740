import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { DiskSpace, diskFull, isDiskFull } from './disk-space.ts'
import { EngineError } from './errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'casemill-space-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  [Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }), true],
  [new Error('EDQUOT: disk quota exceeded, write'), true],
  [new Error('IO Error: Could not write file "a": No space left on device'), true],
  [new Error('database or disk is full'), true],
  [new EngineError('unavailable', 'it failed', { cause: new Error('ENOSPC: no space') }), true],
  // The error is worded as a thread reports it.
  [new EngineError('unavailable', 'it failed', { cause: 'database or disk is full' }), true],
  [diskFull('the upload', undefined), true],
  [new Error('EACCES: permission denied, open'), false],
  [new EngineError('unavailable', 'the database is away'), false],
  [undefined, false],
])('%s: a full disk is told from other faults', (error, isFull) => {
  expect(isDiskFull(error)).toBe(isFull)
})

test('what leaves the reserve passes, and what does not says how much there is', async () => {
  const { freeBytes } = await new DiskSpace(folder).state()
  await new DiskSpace(folder, Math.floor(freeBytes / 2)).require(1)
  const space = new DiskSpace(folder, freeBytes * 2)
  const refused = space.require(7)
  await expect(refused).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^7 bytes do not fit on the disk .* make room/),
    retryAfterSeconds: 30,
  })
  expect(isDiskFull(await refused.catch((error: unknown) => error))).toBe(true)
  expect(await space.state()).toMatchObject({ reserveBytes: freeBytes * 2, hasSpace: false })
})

test('guarded work is told of an end, and its own faults stay what they are', async () => {
  const space = new DiskSpace(folder)
  const stop = new AbortController()
  const ended = space.guard(stop.signal, async (signal) => {
    stop.abort(new Error('by hand'))
    signal.throwIfAborted()
  })
  await expect(ended).rejects.toThrow('by hand')
  const wrong = space.guard(undefined, () => Promise.reject(new Error('a bug')))
  await expect(wrong).rejects.toThrow('a bug')
  const full = space.guard(undefined, () => Promise.reject(new Error('ENOSPC: no space')))
  await expect(full).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 30 })
})
