import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTextFile } from './text-file.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-text-file-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function file(bytes: string | Uint8Array): Promise<string> {
  const path = join(folder, 'given')
  await writeFile(path, bytes)
  return path
}

const LIMIT = { maxBytes: 100_000 }
const text = 'aé\r\n'.repeat(1000)

test.each([['plain', Buffer.from(text)] as const, ['gzip', gzipSync(text)] as const])(
  'a file that is %s',
  async (_, bytes) => expect(await readTextFile(await file(bytes), LIMIT)).toBe(text),
)

test('a file that inflates beyond the limit is too large, and inflating stops there', async () => {
  const path = await file(gzipSync(Buffer.alloc(50 << 20)))
  await expect(readTextFile(path, LIMIT)).rejects.toMatchObject({ code: 'too_large' })
  await expect(readTextFile(await file('x'.repeat(100_001)), LIMIT)).rejects.toMatchObject({
    code: 'too_large',
  })
  expect(await readTextFile(await file('x'.repeat(100_000)), LIMIT)).toHaveLength(100_000)
})

test.each([
  ['is not there', 'not_found', undefined],
  ['is not UTF-8', 'bad_input', Buffer.from([0x61, 0xe9, 0x61])],
  ['ends within its gzip', 'corrupt_source', gzipSync(text).subarray(0, 20)],
  ['has damaged gzip', 'corrupt_source', Buffer.from([0x1f, 0x8b, 0x08, 9, 9, 9, 9, 9, 9, 9, 9])],
])('a file that %s', async (_, code, bytes) => {
  const path = bytes === undefined ? join(folder, 'nothing') : await file(bytes)
  await expect(readTextFile(path, LIMIT)).rejects.toMatchObject({ code })
})

test('a folder is refused', async () => {
  await expect(readTextFile(folder, LIMIT)).rejects.toMatchObject({ code: 'bad_input' })
})

test('an abort ends it', async () => {
  const signal = AbortSignal.abort(new Error('left'))
  await expect(readTextFile(await file(text), { ...LIMIT, signal })).rejects.toThrow()
})
