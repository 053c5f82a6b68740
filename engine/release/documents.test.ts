import { closeSync, openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Scratch } from '../executor.ts'
import { readArrays } from '../store/array-file.ts'
import { documentsJob } from './document-writer.ts'
import { type DocumentArrays, DocumentReader } from './documents.ts'

let folder = ''
let count = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-documents-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function readerOf(lines: readonly string[]) {
  const source = join(folder, `${count}.ndjson`)
  const target = join(folder, String(count++))
  await writeFile(source, lines.join('\n'))
  const written = await documentsJob.run(
    { dataset: 'cases', source, folder: target },
    new Scratch(),
  )
  const arrays = (await readArrays(join(target, 'documents/cases.arrays')))
    .arrays as unknown as DocumentArrays
  const descriptor = openSync(join(target, 'documents/cases.blocks'), 'r')
  const reader = new DocumentReader({ descriptor, path: 'x', rows: written.rows, arrays })
  return { reader, arrays, close: () => closeSync(descriptor) }
}

test('documents of every size come back, alone and together', async () => {
  const sizes = [0, 1, 30, 5000, 32_700, 32_768, 32_769, 100_000, 2_000_000, 1, 1, 40_000, 7]
  const lines = sizes.map((size, i) => JSON.stringify({ i, text: 'é'.repeat(size) }))
  const { reader, arrays, close } = await readerOf(lines)
  expect(reader.read(lines.map((_, i) => i))).toEqual(lines)
  for (const [row, line] of lines.entries()) expect(reader.read([row])).toEqual([line])
  expect(reader.read([12, 3, 3, 0])).toEqual([12, 3, 3, 0].map((row) => lines[row]))
  // A block holds one document, or some that are small together.
  expect(arrays.checksums).toHaveLength(9)
  close()
})

test('spelling, order of members and numbers are kept', async () => {
  const lines = ['{"b":1.0,"a":[ ], "a":"\\u00e9"}', '  {"n":12345678901234567890,"z":null}  ']
  const { reader, close } = await readerOf(lines)
  expect(reader.read([0, 1])).toEqual(lines)
  close()
})

test('a reader keeps few blocks', async () => {
  const lines = Array.from({ length: 3000 }, (_, i) => `{"row":${i},"text":"${'x'.repeat(1000)}"}`)
  const { reader, arrays, close } = await readerOf(lines)
  expect(arrays.checksums.length).toBeGreaterThan(50)
  const rows = Array.from({ length: 1000 }, (_, i) => (i * 1013) % 3000)
  for (const row of rows) expect(reader.read([row])).toEqual([lines[row]])
  expect(reader.read(rows)).toEqual(rows.map((row) => lines[row]))
  close()
})
