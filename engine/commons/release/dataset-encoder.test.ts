import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import type { ArraySchema } from '../../shared/arrays/array-schema.ts'
import { readArrowArrays } from './arrow-reader.ts'
import type { BitmapLimits } from './column-encoder.ts'
import { encodeDataset } from './columns.ts'
import type { EncodedDataset } from './dataset-encoder.ts'
import { Dictionary } from './dictionary.ts'
import {
  BITMAP_ARRAYS,
  bitmapsKey,
  COLUMN_ARRAYS,
  type ColumnLayout,
  columnKey,
  INDEX_ARRAYS,
  LEVEL_ARRAYS,
  levelKey,
} from './layout.ts'
import { foreignKey } from './link.ts'
import type { Schema } from './schema.ts'
import { ascending, naiveLevels, naiveValues } from './support/naive.ts'

const SCHEMA: Schema = {
  dataset: 'annotations',
  idField: 'id',
  levels: [
    { path: 'samples', parent: '' },
    { path: 'samples.parts', parent: 'samples' },
    { path: 'info.reads', parent: '' },
  ],
  fields: [
    { path: 'id', type: 'exact', level: '' },
    { path: 'name', type: 'keyword', level: '' },
    { path: 'label', type: 'exact', level: '' },
    { path: 'count', type: 'long', level: '' },
    { path: 'flag', type: 'boolean', level: '' },
    { path: 'info.note', type: 'text', level: '' },
    // An array of objects that is not a level.
    { path: 'flat.x', type: 'keyword', level: '' },
    { path: 'samples.kind', type: 'keyword', level: 'samples' },
    { path: 'samples.size', type: 'double', level: 'samples' },
    { path: 'samples.more.label', type: 'exact', level: 'samples' },
    { path: 'samples.parts.kind', type: 'keyword', level: 'samples.parts' },
    { path: 'info.reads.size', type: 'float', level: 'info.reads' },
    { path: 'never', type: 'keyword', level: 'samples' },
  ],
  links: [
    { at: 'case', level: '', dataset: 'cases', idAt: 'case.case_id', type: 'keyword' },
    { at: 'samples', level: 'samples', dataset: 'cases', idAt: 'samples.owner', type: 'exact' },
  ],
}

let folder = ''
let count = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-encoder-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function encode(lines: readonly string[], schema = SCHEMA, bitmaps?: BitmapLimits) {
  const target = join(folder, String(count++))
  const source = `${target}.ndjson`
  await writeFile(source, lines.join('\n'))
  const encoded = await encodeDataset({ schema, source, folder: target, bitmaps })
  const read = <Schema extends ArraySchema>(key: string, arrays: Schema) =>
    readArrowArrays(join(target, `${key}.arrow`), arrays)
  return { encoded, read }
}

/** Returns the numbers below `size` whose bit is set, starting with a word. */
function membersOf(words: Int32Array, size: number, from = 0): number[] {
  const numbers = Array.from({ length: size }, (_, i) => i)
  return numbers.filter((i) => ((words[from + (i >>> 5)]! >>> (i & 31)) & 1) === 1)
}

type Read = Awaited<ReturnType<typeof encode>>['read']

/** Returns the values of every element, read through codes and dictionary. */
async function columnValues(read: Read, key: string, layout: ColumnLayout, elements: number) {
  const { facts, arrays } = await read(key, COLUMN_ARRAYS)
  const { codes, offsets } = arrays
  const indexKey = key.replace(/^columns/, 'indexes')
  const { counts, order } = layout.indexed ? (await read(indexKey, INDEX_ARRAYS)).arrays : arrays
  const { distinct } = layout
  const dictionary = new Dictionary({ distinct, facts, arrays })
  const valueAt = (code: number) =>
    layout.kind === 'number' ? dictionary.number(code) : dictionary.text(code)
  const entries = Array.from({ length: distinct }, (_, i) => valueAt(i + 1))
  expect(entries).toEqual([...new Set(entries)].sort(ascending))
  expect(offsets !== undefined).toBe(layout.multi)
  expect(order !== undefined).toBe(layout.ordered)
  const values = Array.from({ length: elements }, (_, element) => {
    if (!codes) return [valueAt(element + 1)]
    const own = offsets
      ? codes.slice(offsets[element], offsets[element + 1])
      : codes.slice(element, element + 1).filter((code) => code !== 0)
    return Array.from(own, valueAt)
  })
  return { values, counts, dictionary, codes, order }
}

async function expectSame(
  { encoded, read }: { encoded: EncodedDataset; read: Read },
  documents: readonly Readonly<Record<string, unknown>>[],
  schema = SCHEMA,
) {
  const { dataset } = schema
  const levels = naiveLevels(schema, documents)
  expect(encoded.rows).toBe(documents.length)
  for (const { path, parent } of schema.levels) {
    const elements = levels.get(path) ?? []
    const layout = encoded.levels[path]
    if (elements.length === 0) {
      expect(layout).toBeUndefined()
      continue
    }
    const { arrays } = await read(levelKey(dataset, path), LEVEL_ARRAYS)
    const { offsets, parents, irregular } = arrays
    expect(Array.from(parents)).toEqual(elements.map((element) => element.parent))
    const parentCount = levels.get(parent)?.length ?? 0
    const starts = Array.from(
      { length: parentCount + 1 },
      (_, i) => elements.filter((element) => element.parent < i).length,
    )
    expect(Array.from(offsets)).toEqual(starts)
    const oneToOne = starts.every((start, i) => start === i)
    const counts = starts.slice(1).map((start, i) => start - starts[i]!)
    const odd = counts.flatMap((count, i) => (count === 1 ? [] : [i]))
    expect(layout).toEqual({
      parent,
      elements: elements.length,
      oneToOne,
      irregular: odd.length,
    })
    expect(membersOf(irregular!, parentCount)).toEqual(odd)
  }
  const links = schema.links.map(({ at, idAt, level, type }) => ({
    path: idAt,
    level,
    type,
    key: foreignKey(dataset, at),
    known: Object.hasOwn(encoded.links, at),
  }))
  const fields = schema.fields.map((field) => ({
    ...field,
    key: columnKey(dataset, field.path),
    known: Object.hasOwn(encoded.columns, field.path),
  }))
  for (const field of [...fields, ...links]) {
    const elements = levels.get(field.level) ?? []
    const expected = naiveValues(elements, field)
    const all = new Set(expected.flat())
    expect(field.known, field.path).toBe(all.size > 0)
    if (all.size === 0) continue
    const layout =
      encoded.columns[field.path] ?? (await read(field.key, COLUMN_ARRAYS)).facts.layout
    const column = layout as ColumnLayout
    const { values, counts, dictionary } = await columnValues(
      ...([read, field.key, column, elements.length] as const),
    )
    expect(values, field.path).toEqual(expected)
    expect(column).toMatchObject({ level: field.level, distinct: all.size })
    expect(column.multi).toBe(expected.some((own) => own.length > 1))
    if (column.identity) continue
    const rowsWith = (test: (own: readonly unknown[]) => boolean) =>
      new Set(elements.filter((_, i) => test(expected[i] ?? [])).map(({ row }) => row)).size
    expect(counts?.[0]).toBe(rowsWith((own) => own.length === 0))
    for (const value of all) {
      expect(counts?.[dictionary.find(value)]).toBe(rowsWith((own) => own.includes(value)))
    }
  }
}

const uuids = Array.from({ length: 6 }, (_, i) => `0000000${i}-aaaa-4aaa-8aaa-0123456789AB`)
const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 'True', 'x', 'X', '', 'é', 'É', 0, -0, 1, 1.5, '12'),
  fc.constantFrom<unknown>(
    ' 7 ',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    12,
    1e300,
    'a\tb',
    'Ünï',
    '-5.',
  ),
  fc.constantFrom(...uuids),
)
const values = fc.oneof(
  { arbitrary: scalar, weight: 4 },
  fc.array(scalar, { maxLength: 3 }),
  fc.constant({ some: 'object' }),
)
const optional = { requiredKeys: [] as never[] }
const part = fc.record({ kind: values, other: scalar }, optional)
const oneOrMany = <T>(one: fc.Arbitrary<T>) =>
  fc.oneof(
    { arbitrary: fc.array(one, { maxLength: 4 }), weight: 4 },
    one,
    fc.array(fc.array(one, { maxLength: 2 }), { maxLength: 2 }),
    fc.constant(null),
    fc.constant(['no object', null]),
  )
const sample = fc.record(
  { kind: values, size: values, more: fc.record({ label: values }), parts: oneOrMany(part) },
  optional,
)
const owned = fc.tuple(sample, fc.constantFrom(undefined, ...uuids)).map(([one, owner]) => ({
  ...one,
  ...(owner === undefined ? {} : { owner }),
}))
const document = fc.record(
  {
    name: values,
    label: values,
    count: values,
    flag: values,
    flat: oneOrMany(fc.record({ x: values }, optional)),
    info: fc.record(
      { note: values, reads: oneOrMany(fc.record({ size: values }, optional)) },
      optional,
    ),
    samples: oneOrMany(owned),
    case: fc.record({ case_id: fc.constantFrom(null, ...uuids) }, optional),
    unknown: values,
  },
  optional,
)

test('every element has the values of its document, in every level, field and link', async () => {
  const property = fc.asyncProperty(fc.array(document, { maxLength: 12 }), async (given) => {
    const documents = given.map((one, i) => ({ id: `id${String(i).padStart(3, '0')}`, ...one }))
    const lines = documents.map((one) => JSON.stringify(one))
    await expectSame(
      await encode(lines),
      lines.map((line) => JSON.parse(line)),
    )
  })
  await fc.assert(property, { seed: 11, numRuns: depth(20, 150) })
})

test.each([10, 300, 5000, 70_000])(
  'codes are as wide as %i distinct values need',
  async (distinct) => {
    const rows = distinct + 50
    const documents = Array.from({ length: rows }, (_, i) => ({
      id: `id${String(i).padStart(6, '0')}`,
      name: i % 11 === 0 ? null : `Text ${(i * 7919) % distinct}`,
      label: uuids[i % 6]?.replace('0000000', String(1e6 + ((i * 7) % distinct))).toLowerCase(),
      count: ((i * 31) % distinct) / 8,
    }))
    const { encoded, read } = await encode(documents.map((one) => JSON.stringify(one)))
    const levels = naiveLevels(SCHEMA, documents)
    for (const field of SCHEMA.fields.slice(1, 4)) {
      const layout = encoded.columns[field.path]!
      const expected = naiveValues(levels.get('')!, field)
      const key = columnKey('annotations', field.path)
      const { values, codes, order } = await columnValues(read, key, layout, rows)
      expect(values.findIndex((own, i) => own[0] !== expected[i]![0])).toBe(-1)
      const { distinct: found } = layout
      const width = found <= 255 ? 1 : found <= 65_535 ? 2 : 4
      expect(codes?.BYTES_PER_ELEMENT).toBe(width)
      expect(layout.ordered).toBe(found > 4096)
      expect(layout.indexed ?? false).toBe(found > 4096)
      if (!order) continue
      const keyOf = (row: number) => codes![row] || Number.POSITIVE_INFINITY
      const sorted = [...Array(rows).keys()].sort((a, b) => Math.sign(keyOf(a) - keyOf(b)) || a - b)
      expect(Array.from(order).findIndex((row, i) => row !== sorted[i])).toBe(-1)
    }
  },
)

test('columns within the limits have the set of each code, also of those without a value', async () => {
  const documents = Array.from({ length: 77 }, (_, i) => ({
    id: `id${String(i).padStart(2, '0')}`,
    name: i % 5 === 0 ? null : `text ${i % 4}`,
    label: i % 2 === 0 ? ['a', 'b'] : 'a',
    count: i,
    samples: Array.from({ length: i % 3 }, (_, n) => ({ kind: `kind ${(i + n) % 3}` })),
  }))
  const limits = { elements: 70, distinct: 5, bytes: 1 << 20 }
  const { encoded, read } = await encode(
    ...([documents.map((one) => JSON.stringify(one)), SCHEMA, limits] as const),
  )
  const { columns, levels } = encoded
  const bitmapped = Object.keys(columns).filter((path) => columns[path]!.bitmapped)
  // Columns with several values per element, or with more than five distinct values, have no bitmaps.
  expect(bitmapped).toEqual(['name', 'samples.kind'])
  for (const path of bitmapped) {
    const size = path === 'name' ? 77 : levels.samples!.elements
    const { codes } = (await read(columnKey('annotations', path), COLUMN_ARRAYS)).arrays
    const { words } = (await read(bitmapsKey('annotations', path), BITMAP_ARRAYS)).arrays
    const length = Math.ceil(size / 32)
    expect(words.length).toBe(length * (columns[path]!.distinct + 1))
    for (let code = 0; code <= columns[path]!.distinct; code++) {
      const elements = Array.from(codes!.keys()).filter((i) => codes![i] === code)
      expect(membersOf(words, size, code * length)).toEqual(elements)
    }
  }
})

test.each([
  { elements: 78, distinct: 5, bytes: 1 << 20 },
  { elements: 1, distinct: 3, bytes: 1 << 20 },
  { elements: 1, distinct: 5, bytes: 4 * 3 * 5 - 1 },
])('a column outside of a limit has no sets (%o)', async (limits) => {
  const lines = Array.from({ length: 77 }, (_, i) =>
    JSON.stringify({ id: `id${String(i).padStart(2, '0')}`, name: `text ${i % 4}` }),
  )
  const { encoded } = await encode(lines, SCHEMA, limits)
  expect(encoded.columns.name!.bitmapped).toBeUndefined()
  expect(Object.keys(encoded.files)).toEqual([
    'columns/annotations/id.arrow',
    'columns/annotations/name.arrow',
  ])
})

test('the id has no codes: its entries are the rows', async () => {
  const ids = ['', 'ä', 'b', 'B'].map((id) => `x${id}`).sort(ascending)
  const { encoded, read } = await encode(ids.map((id) => JSON.stringify({ id })))
  expect(encoded.columns.id).toEqual({
    level: '',
    kind: 'text',
    distinct: 4,
    multi: false,
    identity: true,
    ordered: false,
  })
  const { values, codes } = await columnValues(
    ...([read, columnKey('annotations', 'id'), encoded.columns.id!, 4] as const),
  )
  expect(values.flat()).toEqual(ids)
  expect(codes).toBeUndefined()
})

test('no document at all makes nothing', async () => {
  const { encoded } = await encode(['', ''])
  expect(encoded).toEqual({ rows: 0, levels: {}, columns: {}, links: {}, printed: {}, files: {} })
})

test.each([
  [['{"id":"b"}', '{"id":"a"}'], 'line 2 has an id below that of the record before it'],
  [['{"id":"a"}', '', '{"id":"a"}'], 'line 3 has the same id as the record before it'],
  [['{"id":"b"}', '{"id":"ä"}', '{"id":"c"}'], 'line 3 has an id below'],
  [['{"name":"b"}'], 'line 1 has no text in "id"'],
  [['{"id":null}'], 'line 1 has no text in "id"'],
  [['{"id":"a"}', '[]'], 'line 2 is not a JSON object'],
  [['{"id":"a"}', '{"id":"b"'], 'line 2 is not a JSON object'],
])('a source that cannot be used is refused with its line (%#)', async (lines, message) => {
  await expect(encode(lines)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining(message),
  })
})

test('ids are compared as their field folds them', async () => {
  const [id, ...fields] = SCHEMA.fields
  const folding: Schema = { ...SCHEMA, fields: [{ ...id!, type: 'keyword' }, ...fields] }
  const lines = ['{"id":"a"}', '{"id":"B"}', '{"id":"c"}']
  expect((await encode(lines, folding)).encoded.rows).toBe(3)
  await expect(encode(['{"id":"a"}', '{"id":"A"}'], folding)).rejects.toThrow(/same id/)
  await expect(encode(lines)).rejects.toThrow(/line 2 has an id below/)
})
