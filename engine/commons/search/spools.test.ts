import { mkdtemp, open, readdir, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DiskSpace } from '../../shared/disk-space.ts'
import { type SpooledFile, type SpoolLimits, Spools } from './spools.ts'

let folder = ''
let spools: Spools
let written: string[]
let retained = 0

const LIMITS = {
  bytes: 400,
  bytesOfOne: 100,
  files: 3,
  writing: 1,
  waiting: 1,
  milliseconds: 60_000,
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-spools-'))
  written = []
  retained = 0
  start()
})
afterEach(async () => {
  vi.useRealTimers()
  await spools.close()
  await rm(folder, { recursive: true, force: true })
})

function start(limits: Partial<SpoolLimits> = {}): void {
  spools = new Spools({ ...LIMITS, ...limits })
}

const retain = () => {
  retained++
  return { release: () => void retained-- }
}

/** A source whose bytes are its key, repeated. */
function source(key: string, { times = 1, gate = Promise.resolve() as Promise<unknown> } = {}) {
  return {
    key,
    retain,
    async write(signal: AbortSignal) {
      written.push(key)
      await Promise.race([
        gate,
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        ),
      ])
      const path = join(folder, key)
      await writeFile(path, key.repeat(times))
      const handle = await open(path)
      await unlink(path)
      return handle
    },
  }
}

async function textOf(file: SpooledFile, span?: { start: number; end: number }): Promise<string> {
  const chunks: Buffer[] = []
  const stream = file.open(span)
  for await (const chunk of stream.body) chunks.push(Buffer.from(chunk))
  const text = Buffer.concat(chunks).toString()
  expect(stream.length).toBe(text.length)
  return text
}

test('equal answers share a file that has no name', async () => {
  const [one, other] = await Promise.all([spools.take(source('abc')), spools.take(source('abc'))])
  expect(await textOf(one)).toBe('abc')
  expect(await textOf(other, { start: 1, end: 2 })).toBe('b')
  expect(await textOf(await spools.take(source('abc')))).toBe('abc')
  expect(written).toEqual(['abc'])
  expect(await readdir(folder)).toEqual([])
  expect([spools.files, spools.bytes, retained]).toEqual([1, 3, 0])
})

test('writing goes on while one of those that wait is there, and stops with the last', async () => {
  const gate = Promise.withResolvers<void>()
  const [first, second] = [new AbortController(), new AbortController()]
  const taken = [first, second].map(({ signal }) =>
    spools.take(source('abc', { gate: gate.promise }), signal),
  )
  first.abort(new Error('left'))
  await expect(taken[0]).rejects.toThrow('left')
  expect([spools.files, spools.bytes, retained]).toEqual([1, 100, 1])
  second.abort(new Error('left too'))
  await expect(taken[1]).rejects.toThrow('left too')
  await spools.close()
  expect([spools.files, spools.bytes, retained]).toEqual([0, 0, 0])
  expect(written).toEqual(['abc'])
})

test('a failed write is retried by the next request', async () => {
  const broken = { ...source('abc'), write: () => Promise.reject(new Error('no disk')) }
  await expect(spools.take(broken)).rejects.toThrow('no disk')
  expect(await textOf(await spools.take(source('abc')))).toBe('abc')
})

test('a response above the limit is an error with advice', async () => {
  await expect(spools.take(source('abc', { times: 34 }))).rejects.toMatchObject({
    code: 'too_large',
    at: 'format',
    message: expect.stringContaining('100 bytes'),
  })
  await spools.close()
  expect([spools.files, spools.bytes]).toEqual([0, 0])
})

test('the longest unused gives its place up; one that is read does not', async () => {
  start({ bytes: 1000 })
  const read = await spools.take(source('one'))
  await textOf(await spools.take(source('two')))
  await textOf(await spools.take(source('three')))
  await textOf(await spools.take(source('four')))
  expect(await textOf(read)).toBe('one')
  expect(await textOf(await spools.take(source('three')))).toBe('three')
  expect(written).toEqual(['one', 'two', 'three', 'four'])
  await textOf(await spools.take(source('two')))
  expect(written).toEqual(['one', 'two', 'three', 'four', 'two'])
})

test('bytes are reserved before they are written', async () => {
  start({ bytes: 250 })
  const one = await spools.take(source('x'.repeat(100)))
  await spools.take(source('y'.repeat(80)))
  await expect(spools.take(source('z'))).rejects.toMatchObject({ code: 'busy' })
  one.end()
  expect(await textOf(await spools.take(source('z')))).toBe('z')
})

test('writes and waiting requests are limited; more are busy', async () => {
  const gate = Promise.withResolvers<void>()
  const one = spools.take(source('one', { gate: gate.promise }))
  const two = spools.take(source('two'))
  await expect(spools.take(source('three'))).rejects.toMatchObject({ code: 'busy' })
  expect(written).toEqual(['one'])
  gate.resolve()
  expect(await textOf(await one)).toBe('one')
  expect(await textOf(await two)).toBe('two')
})

test('one that nobody reads goes after its time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const file = await spools.take(source('abc'))
  vi.advanceTimersByTime(LIMITS.milliseconds)
  expect(spools.files).toBe(1)
  file.end()
  vi.advanceTimersByTime(LIMITS.milliseconds - 1)
  expect(spools.files).toBe(1)
  vi.advanceTimersByTime(1)
  expect(spools.files).toBe(0)
})

test('nothing is taken after the end', async () => {
  await spools.close()
  await expect(spools.take(source('abc'))).rejects.toMatchObject({ code: 'unavailable' })
})

test('those that wait have no reserve: as many as may wait are written one after another', async () => {
  await spools.close()
  start({ bytes: 250, bytesOfOne: 100, files: 64, waiting: 32 })
  const names = Array.from({ length: 20 }, (_, n) => `one-${n}`)
  const taken = await Promise.all(
    names.map(async (name) => {
      const file = await spools.take(source(name))
      file.end()
      return file.size
    }),
  )
  expect(taken).toEqual(names.map((name) => name.length))
})

test('nothing is written into the disk reserve', async () => {
  await spools.close()
  spools = new Spools(LIMITS, new DiskSpace(folder, Number.MAX_SAFE_INTEGER))
  await expect(spools.take(source('a'))).rejects.toMatchObject({ code: 'unavailable' })
  expect(written).toEqual([])
  expect([spools.files, spools.bytes, retained]).toEqual([0, 0, 0])
})
