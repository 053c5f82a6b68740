import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tarEntries } from './tar-entries.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-tar-entries-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function listOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const value of values) list.push(value)
  return list
}

const LIMITS = { entries: 10, entryBytes: 1000, totalBytes: 100_000 }

async function tar(...files: readonly (readonly [name: string, content: string])[]) {
  const archive = pack()
  archive.entry({ name: 'd/', type: 'directory' })
  archive.entry({ name: 'link', type: 'symlink', linkname: '/etc/passwd' })
  for (const [name, content] of files) archive.entry({ name }, content)
  archive.finalize()
  return buffer(archive)
}

async function read(bytes: Uint8Array, limits = LIMITS) {
  const path = join(folder, 'given.tar')
  await writeFile(path, bytes)
  return listOf(tarEntries(path, limits))
}

test('files are read, plain and packed; folders and links are passed over', async () => {
  const bytes = await tar(['d/a.html', 'é'], ['../b', ''])
  const entries = [
    { name: 'd/a.html', text: 'é' },
    { name: '../b', text: '' },
  ]
  expect(await read(bytes)).toEqual(entries)
  expect(await read(gzipSync(bytes))).toEqual(entries)
})

test.each([
  ['more files', { ...LIMITS, entries: 2 }],
  ['a larger file', { ...LIMITS, entryBytes: 99 }],
  ['more in all', { ...LIMITS, totalBytes: 1000 }],
])('an archive with %s than there may be is too large', async (_, limits) => {
  const bytes = gzipSync(await tar(['a', 'x'.repeat(100)], ['b', 'x'.repeat(10)]))
  await expect(read(bytes, limits)).rejects.toMatchObject({ code: 'too_large' })
})

test.each([
  ['is cut off', async () => (await tar(['a', 'x'.repeat(1000)])).subarray(0, 1800)],
  ['is cut off within its gzip', async () => gzipSync(await tar(['a', 'x'])).subarray(0, 60)],
  ['is none', async () => Buffer.from('no archive at all'.repeat(100))],
  ['has what is not UTF-8', async () => tarOfBytes(Buffer.from([0xff]))],
])('an archive that %s is unsound', async (_, made) => {
  await expect(read(await made())).rejects.toMatchObject({ code: 'corrupt_source' })
})

async function tarOfBytes(bytes: Buffer) {
  const archive = pack()
  archive.entry({ name: 'a' }, bytes)
  archive.finalize()
  return buffer(archive)
}

test('missing entries, and an abort', async () => {
  const none = listOf(tarEntries(join(folder, 'nothing'), LIMITS))
  await expect(none).rejects.toMatchObject({ code: 'not_found' })
  const path = join(folder, 'given.tar')
  await writeFile(path, await tar(['a', 'x']))
  const reason = new Error('left')
  const left = listOf(tarEntries(path, LIMITS, { signal: AbortSignal.abort(reason) }))
  await expect(left).rejects.toBe(reason)
})
