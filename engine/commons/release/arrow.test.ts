import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NumberArray } from '../../shared/arrays/array-schema.ts'
import { readArrowArrays } from './arrow-reader.ts'
import { writeArrowArrays } from './arrow-writer.ts'
import { BITMAP_ARRAYS, COLUMN_ARRAYS, LEVEL_ARRAYS, LINK_ARRAYS } from './layout.ts'

let folder = ''
let path = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-arrow-'))
  path = join(folder, 'some.arrow')
})
afterAll(() => rm(folder, { recursive: true }))

const numbers = { maxLength: 300 }
const words = fc.uint32Array(numbers)
const entries = fc.oneof(
  fc.record({ numbers: fc.float64Array({ ...numbers, minLength: 1, noNaN: true }) }),
  fc.array(fc.string(), { minLength: 1, maxLength: 50 }).map((texts) => {
    const ends = [0]
    for (const text of texts) ends.push(ends.at(-1)! + Buffer.byteLength(text))
    return {
      ends: Uint32Array.from(ends),
      bytes: Uint8Array.from(Buffer.from(texts.join(''))),
    }
  }),
)
const codes = fc.oneof(fc.uint8Array(numbers), fc.uint16Array(numbers), fc.uint32Array(numbers))
const columns = fc
  .tuple(
    entries,
    fc.record({ counts: words }),
    fc.option(codes, { nil: undefined }),
    fc.option(words, { nil: undefined }),
    fc.boolean(),
  )
  .map(([entry, counts, coded, order, multi]) => ({
    ...entry,
    ...counts,
    ...(coded ? { codes: coded } : {}),
    ...(coded && multi ? { offsets: Uint32Array.of(0, coded.length) } : {}),
    ...(order ? { order } : {}),
  }))

test('arrays come back as they were written, with their kinds and facts', async () => {
  const levels = fc.record(
    { offsets: words, parents: words, irregular: fc.int32Array(numbers) },
    { requiredKeys: ['offsets', 'parents'] },
  )
  const links = fc.record({ targets: words, reverseOffsets: words, reverseElements: words })
  const bitmaps = fc.record({ words: fc.int32Array(numbers) })
  const files = fc.oneof(
    columns.map((arrays) => ({ arrays, schema: COLUMN_ARRAYS })),
    levels.map((arrays) => ({ arrays, schema: LEVEL_ARRAYS })),
    links.map((arrays) => ({ arrays, schema: LINK_ARRAYS })),
    bitmaps.map((arrays) => ({ arrays, schema: BITMAP_ARRAYS })),
  )
  const facts = fc.dictionary(fc.string(), fc.oneof(fc.integer(), fc.string()))
  await fc.assert(
    fc.asyncProperty(
      files,
      facts,
      fc.boolean(),
      async ({ arrays, schema }, { form: _, ...own }, shared) => {
        const given: Record<string, NumberArray> = { ...arrays }
        const { bytes, crc32 } = await writeArrowArrays(path, own, given)
        expect((await readFile(path)).length).toBe(bytes)
        const read = await readArrowArrays(path, schema, { crc32, shared })
        expect(read).toEqual({ facts: own, arrays: given })
        for (const array of Object.values<NumberArray>({ ...read.arrays })) {
          expect(array.buffer).toBeInstanceOf(shared ? SharedArrayBuffer : ArrayBuffer)
        }
      },
    ),
  )
})

test('every array begins at a multiple of 8 of the file, so that it is used where it lies', async () => {
  const given = {
    codes: Uint8Array.of(1, 0, 2),
    counts: Uint32Array.of(1, 1, 1),
    numbers: Float64Array.of(1.5, 2.5),
  }
  await writeArrowArrays(path, {}, given)
  const { arrays } = await readArrowArrays(path, COLUMN_ARRAYS)
  const [first] = Object.values<NumberArray>({ ...arrays })
  for (const array of Object.values<NumberArray>({ ...arrays })) {
    expect(array.buffer).toBe(first?.buffer)
    expect(array.byteOffset % 8).toBe(0)
  }
})

test('the library reads the values of a column', async () => {
  const ends = Uint32Array.of(0, 5, 9)
  const bytes = Uint8Array.from(Buffer.from('alphabeta'))
  const counts = new Uint32Array(3)
  const valuesIn = async () => {
    const row = tableFromIPC(await readFile(path))
      .getChild('values')
      ?.get(0)
    return JSON.parse(JSON.stringify(row)) as unknown
  }
  await writeArrowArrays(path, {}, { counts, ends, bytes })
  expect(await valuesIn()).toEqual(['alpha', 'beta'])
  const codes = Uint8Array.of(2, 0, 1, 2)
  await writeArrowArrays(path, {}, { codes, counts, ends, bytes })
  expect(await valuesIn()).toEqual(['beta', null, 'alpha', 'beta'])
  const offsets = Uint32Array.of(0, 2, 2, 4)
  await writeArrowArrays(path, {}, { codes, offsets, counts, ends, bytes })
  expect(await valuesIn()).toEqual([['beta', null], [], ['alpha', 'beta']])
})

test('a file that is none, or not the one on record, is refused', async () => {
  const refused = { code: 'corrupt_source' }
  const given = { words: Int32Array.of(1, 2, 3) }
  const { crc32, bytes } = await writeArrowArrays(path, {}, given)
  const other = { crc32: crc32 ^ 1 }
  await expect(readArrowArrays(path, BITMAP_ARRAYS, other)).rejects.toMatchObject(refused)
  await expect(readArrowArrays(path, LINK_ARRAYS)).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('it has no array "targets"'),
  })
  await expect(readArrowArrays(path, { words: ['Uint8Array'] as const })).rejects.toMatchObject(
    refused,
  )
  for (const length of [bytes - 1, bytes - 20, 12, 6, 0]) {
    await truncate(path, length)
    await expect(readArrowArrays(path, BITMAP_ARRAYS), `${length}`).rejects.toMatchObject(refused)
  }
  await writeFile(path, 'ARROW1 is only what it says ARROW1')
  await expect(readArrowArrays(path, BITMAP_ARRAYS)).rejects.toMatchObject(refused)
})
