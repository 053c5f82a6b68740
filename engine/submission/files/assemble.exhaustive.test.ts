import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { assembleParts } from './assemble.ts'
import { newPartName } from './upload-bytes.ts'
import { UploadFolder } from './upload-folder.ts'
import type { UploadPart } from './upload-store.ts'

const root = mkdtempSync(join(tmpdir(), 'casemill-assemble-'))
afterAll(() => rmSync(root, { recursive: true }))

const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
const never = new AbortController().signal

/** Sizes near the size of a read, and an empty part. */
const SIZES = [300_000, 0, 262_144, 1, 524_289]

async function made(sizes: readonly number[]) {
  const id = crypto.randomUUID()
  const folder = new UploadFolder(root)
  const parts: UploadPart[] = []
  const chunks = sizes.map((size) => randomBytes(size))
  for (const [i, bytes] of chunks.entries()) {
    const name = newPartName(i + 1)
    await (await folder.create(id, name)).close()
    await writeFile(folder.partPath(id, name), bytes)
    const part = { number: i + 1, size: bytes.length, md5: md5Of(bytes) }
    parts.push({ ...part, name, modifiedAt: '' })
  }
  return { id, folder, parts, chunks, bytes: Buffer.concat(chunks) }
}

const run = ({ folder, id, parts }: Awaited<ReturnType<typeof made>>, signal = never) =>
  assembleParts(folder, id, parts, signal)

test('parts become one file in their order, and nothing else stays', async () => {
  const upload = await made(SIZES)
  const { id, folder, bytes } = upload
  expect(await run(upload)).toEqual({ size: bytes.length, md5: md5Of(bytes) })
  expect(await readFile(folder.wholePath(id))).toEqual(bytes)
  expect(readdirSync(join(root, id))).toEqual(['whole'])
})

test('one that was broken off goes on from wherever it was', async () => {
  for (const done of [1, 3, SIZES.length]) {
    for (const tail of [0, 400_000]) {
      const upload = await made(SIZES)
      const { id, folder, parts, chunks, bytes } = upload
      const [first] = parts
      const whole = folder.wholePath(id)
      await rename(folder.partPath(id, first?.name ?? ''), whole)
      for (let i = 1; i < done; i++) {
        await appendFile(whole, chunks[i] ?? '')
        await rm(folder.partPath(id, parts[i]?.name ?? ''))
      }
      // The file may already contain bytes of the next part, correct or not.
      await appendFile(whole, randomBytes(tail))
      expect(await run(upload), `${done} ${tail}`).toEqual({
        size: bytes.length,
        md5: md5Of(bytes),
      })
      expect(await readFile(whole)).toEqual(bytes)
      expect(await run(upload)).toMatchObject({ md5: md5Of(bytes) })
    }
  }
})

test('one that is stopped goes on when it is called again', async () => {
  const upload = await made(Array(8).fill(300_000))
  const { bytes } = upload
  for (const milliseconds of [0, 1, 2, 3, 5]) {
    await run(upload, AbortSignal.timeout(milliseconds)).catch(() => {})
  }
  expect(await run(upload)).toEqual({ size: bytes.length, md5: md5Of(bytes) })
})

test('bytes that are missing are an error, whichever they are', async () => {
  for (const lost of [0, 2, 4]) {
    const upload = await made(SIZES)
    const { id, folder, parts } = upload
    await rm(folder.partPath(id, parts[lost]?.name ?? ''))
    await expect(run(upload)).rejects.toMatchObject({ code: 'corrupt_source' })
  }
})
