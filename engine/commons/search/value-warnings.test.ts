import { expect, test } from 'vitest'
import { NearNames } from '../../shared/input/near-name.ts'
import { Warnings } from '../../shared/input/warnings.ts'
import { DATASETS } from '../datasets/index.ts'
import { parseFilter } from '../query/support/parse-filter.ts'
import { Dictionary } from '../release/dictionary.ts'
import { type ColumnLayout, columnKey } from '../release/layout.ts'
import type { ArrayKey, LoadedArrays, LoadedPart } from '../release/loaded.ts'
import { TextValues } from '../release/text-values.ts'
import { areAllFound, nearestValue, needsAllValues, warnOfValues } from './value-warnings.ts'

function packed(values: readonly string[]) {
  const texts = new TextValues()
  for (const value of values) texts.codeOf(Buffer.from(value), 0, Buffer.byteLength(value))
  return texts.pack()
}

function partOf(values: readonly string[]): LoadedPart {
  const { distinct, facts, arrays } = packed(values)
  const layout = { distinct } as ColumnLayout
  return { kind: 'column', layout, facts, arrays: { ...arrays, counts: new Uint32Array(0) } }
}

const dictionaryOf = (values: readonly string[]) => new Dictionary(packed(values))

/** A release that has these columns of files and records which of them are loaded. */
function sourceOf(columns: Readonly<Record<string, readonly string[]>>) {
  const loaded: ArrayKey[] = []
  const load = async (keys: Iterable<ArrayKey>): Promise<LoadedArrays> => {
    loaded.push(...keys)
    const parts = Object.entries(columns).map(([path, values]) => [
      columnKey('files', path),
      partOf(values),
    ])
    return {
      releaseId: 'r',
      rows: { files: 3 } as LoadedArrays['rows'],
      parts: Object.fromEntries(parts),
    }
  }
  return { load, loaded }
}

const leaf = (field: string, value: unknown, op = 'in') => ({ op, content: { field, value } })
const and = (...content: readonly unknown[]) => ({ op: 'and', content })
const COLUMNS = {
  access: ['open', 'controlled'],
  data_type: ['Aligned Reads', 'Raw Simple Somatic Mutation'],
  data_format: ['bam', 'tsv'],
}

async function warned(filter: unknown, at?: string) {
  const warnings = new Warnings()
  const source = sourceOf(COLUMNS)
  await warnOfValues([parseFilter(DATASETS.files, filter, at)], source, warnings)
  return { texts: warnings.texts, loaded: source.loaded }
}

test('values that no record has are named with the nearest one, by their parameter', async () => {
  const and = { op: 'and', content: [leaf('access', 'opn'), leaf('data_format', ['BAM', 'xyzzy'])] }
  expect((await warned(and)).texts).toEqual({
    filters:
      'no record has "opn" in access; did you mean "open"?; no record has "xyzzy" in data_format',
  })
  expect((await warned(leaf('data_type', 'aligned reads', '='), 'case_filters')).texts).toEqual({
    case_filters: 'no record has "aligned reads" in data_type; did you mean "Aligned Reads"?',
  })
  expect((await warned(leaf('platform', 'Illumina'))).texts).toEqual({
    filters: 'no record has a value in platform',
  })
})

test.each([
  leaf('access', ['Open', 'CONTROLLED']),
  leaf('access', 'op*'),
  leaf('access', 'zzz', '>='),
  leaf('access', undefined, 'is'),
  { op: 'range', content: { field: 'access', ranges: [{ from: 'zzz' }] } },
  {},
])('%j has none', async (filter) => {
  expect((await warned(filter)).texts).toEqual({})
})

test('no warning for a value that an alternative condition finds', async () => {
  const or = (...content: readonly unknown[]) => ({ op: 'or', content })
  const open = ['open', 'tsv', 'nowhere']
  const filter = or(leaf('access', open), leaf('data_format', open))
  expect((await warned(filter)).texts.filters).toBe(
    'no record has "nowhere" in access; no record has "nowhere" in data_format',
  )
  expect((await warned({ ...filter, op: 'and' })).texts.filters).toContain('"tsv" in access')
})

test('of many values the first hundred are looked up and five are named', async () => {
  const many = Array.from({ length: 5000 }, (_, i) => leaf('access', `q${i}`))
  const { texts, loaded } = await warned({ op: 'or', content: many })
  expect(texts.filters).toMatch(
    /^no record has "q0" in access; .*"q4" in access; 95 more such values$/,
  )
  expect(loaded).toEqual([columnKey('files', 'access')])
})

test('of 200,000 values only those near the given one are compared', () => {
  const values = Array.from({ length: 200_000 }, (_, i) => `TCGA-${String(i).padStart(7, '0')}`)
  const dictionary = dictionaryOf(values)
  let decoded = 0
  const counted = {
    size: dictionary.size,
    find: (text: string) => dictionary.find(text),
    lowerBound: (text: string) => dictionary.lowerBound(text),
    text(code: number) {
      decoded++
      return dictionary.text(code)
    },
  }
  expect(nearestValue('tcga-0123456', counted, new NearNames())).toBe('TCGA-0123456')
  expect(decoded).toBe(0)
  expect(nearestValue('TCGA-012345', counted, new NearNames())).toMatch(/^TCGA-012345\d$/)
  expect(decoded).toBeLessThan(1000)
})

test('an id is never suggested for another id', () => {
  const id = '30000000-0000-4000-8000-000000000000'
  expect(
    nearestValue(id.replace('3', '4'), dictionaryOf([id, 'x']), new NearNames()),
  ).toBeUndefined()
})

test.each([
  [leaf('access', 'open'), true],
  [leaf('access', ['open']), true],
  [and(leaf('access', 'open'), leaf('data_format', 'bam')), true],
  [and(leaf('access', 'open'), leaf('file_size', 5, '>')), true],
  [leaf('access', ['open', 'closed']), false],
  [leaf('access', 'closed', '!='), true],
  [leaf('access', ['open', 'closed'], 'excludeifany'), true],
  [{ op: 'or', content: [leaf('access', 'open'), leaf('access', 'closed')] }, false],
  [and(leaf('access', 'open'), leaf('access', 'closed', '!=')), true],
])('%j needs a record for each of its values: %s', (written, isSo) => {
  const filter = parseFilter(DATASETS.files, written)
  expect(filter && needsAllValues(filter)).toBe(isSo)
})

test('as many records as a filter lists ids mean that there is one for each', () => {
  const found = (filter: unknown, total: number) =>
    areAllFound(parseFilter(DATASETS.files, filter)!, 'files', total)
  const two = leaf('file_id', ['a', 'b'])
  expect(found(two, 2)).toBe(true)
  expect(found(two, 1)).toBe(false)
  // The same id twice is one record.
  expect(found(leaf('file_id', ['a', 'b', 'a']), 2)).toBe(true)
  expect(found(leaf('file_id', ['a', 'b*']), 2)).toBe(false)
  expect(found(leaf('file_id', ['a', 'b'], 'exclude'), 2)).toBe(false)
  // Records of one value may be many.
  expect(found(leaf('file_name', ['a', 'b']), 2)).toBe(false)
  expect(found(leaf('cases.case_id', ['a', 'b']), 2)).toBe(false)
  expect(found(and(two, leaf('access', 'opn')), 2)).toBe(false)
})
