import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { atOnce } from '../../shared/concurrency/at-once.ts'
import type { IndexedRecord, KeywordQuery, RecordQuery } from './record.ts'
import { RecordIndex } from './record-index.ts'
import { NaiveIndex } from './support/naive-index.ts'

// There are few, short words, so that most of them match: as prefixes of each other, and as codes and their parts.
const word = fc.constantFrom(
  ...[
    'a',
    'ab',
    'abc',
    'b',
    'ba',
    'Ab',
    'Äb',
    'c',
    '1',
    '12',
    '12-1',
    '1-12',
    '9/3',
    '9',
    '3',
    '1.2',
    'a-b',
  ],
)
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '))
const id = fc.constantFrom(...Array.from({ length: 12 }, (_, i) => `id${i}`))
const values = fc.subarray(['x', 'y', 'z'])
const orderValue = fc.option(fc.constantFrom<string | number>('a', 'B', 'b', 'é', 'f', 1, 2, -1), {
  nil: undefined,
})
const record: fc.Arbitrary<IndexedRecord> = fc.record({
  id,
  texts: fc.array(fc.record({ text, weight: fc.constantFrom(0.5, 1, 4) }), { maxLength: 3 }),
  filters: fc.record({ one: values, other: values }),
  orders: fc.record({ name: orderValue, date: fc.option(fc.nat(3), { nil: undefined }) }),
})
const asked = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: word },
      { weight: 1, arbitrary: text.map((words) => `"${words}"`) },
      { weight: 1, arbitrary: fc.constantFrom('AND', 'OR', '"', '--') },
    ),
    { maxLength: 6 },
  )
  .map((chunks) => chunks.join(' '))
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 4 })
const query: fc.Arbitrary<RecordQuery> = fc.record({
  q: maybe(asked),
  mode: fc.constantFrom('OR', 'AND'),
  filters: fc.record({ one: maybe(values), other: maybe(values), none: maybe(fc.constant([])) }),
  ranges: fc.array(
    fc.record({ order: fc.constantFrom('name', 'date'), from: orderValue, to: orderValue }),
    { maxLength: 1 },
  ),
  order: maybe(fc.record({ name: fc.constantFrom('name', 'date', 'x'), descending: fc.boolean() })),
  offset: fc.nat(3),
  count: fc.nat(8),
})
const keywordQuery: fc.Arbitrary<KeywordQuery> = fc.record({
  q: maybe(fc.constantFrom('', ' ', 'A', 'ä', 'b', '1', '12-')),
  filters: fc.record({ one: maybe(values) }),
  count: fc.nat(6),
})
type Step =
  | { readonly put: IndexedRecord }
  | { readonly remove: string }
  | { readonly ask: RecordQuery }
  | { readonly count: KeywordQuery }
  | { readonly settle: true }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: record.map((put) => ({ put })) },
  { weight: 2, arbitrary: id.map((remove) => ({ remove })) },
  { weight: 3, arbitrary: query.map((ask) => ({ ask })) },
  { weight: 1, arbitrary: keywordQuery.map((count) => ({ count })) },
  { weight: 1, arbitrary: fc.constant({ settle: true } as const) },
)

test('all answers are those of a scan of all records, while records come, change and go', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
      const index = new RecordIndex({ freeSlots: 2 })
      const naive = new NaiveIndex()
      for (const one of steps) {
        if ('put' in one) {
          index.put(one.put)
          naive.records.set(one.put.id, one.put)
        } else if ('remove' in one) {
          expect(index.delete(one.remove)).toBe(naive.records.delete(one.remove))
        } else if ('settle' in one) atOnce(index.settle())
        else if ('count' in one)
          expect(index.keywords(one.count)).toEqual(naive.keywords(one.count))
        else expect(index.search(one.ask)).toEqual(naive.search(one.ask))
        expect(index.size).toBe(naive.records.size)
      }
    }),
    { seed: 8, numRuns: depth(150, 1000) },
  )
})
