import { describe, expect, test } from 'vitest'
import { readQuery } from './query.ts'
import type { IndexedRecord } from './record.ts'
import { RecordIndex } from './record-index.ts'

const groupsOf = (query: string, mode: 'OR' | 'AND') =>
  readQuery(query, mode).groups.map((group) => group.map(({ text }) => text).join(' + '))

describe('a query', () => {
  test.each([
    ['a b', ['a', 'b'], ['a + b']],
    ['a AND b', ['a + b'], ['a + b']],
    ['a OR b', ['a', 'b'], ['a', 'b']],
    ['a AND b OR c AND d', ['a + b', 'c + d'], ['a + b', 'c + d']],
    ['a b AND c', ['a', 'b + c'], ['a + b + c']],
    ['a and b', ['a', 'and', 'b'], ['a + and + b']],
    ['"a  B" c', ['"a b"', 'c'], ['"a b" + c']],
    ['\u201ca b\u201d AND c', ['"a b" + c'], ['"a b" + c']],
    ['non-small AND x', ['non + small + x'], ['non + small + x']],
    // An operator must be between two words.
    ['AND a', ['and', 'a'], ['and + a']],
    ['a OR', ['a', 'or'], ['a + or']],
    ['a AND OR b', ['a', 'and', 'b'], ['a + and', 'b']],
    ['"AND" a', ['"and"', 'a'], ['"and" + a']],
    ['a "b c', ['a', 'b', 'c'], ['a + b + c']],
    ['"" -- ', [], []],
    ['"0002-3227"', ['"0002 3227"'], ['"0002 3227"']],
  ])('%j', (query, byOr, byAnd) => {
    expect(groupsOf(query, 'OR')).toEqual(byOr)
    expect(groupsOf(query, 'AND')).toEqual(byAnd)
  })

  test('tells its words, each once and without operators', () => {
    const { terms } = readQuery('"Chronic leukemia" AND Chronic OR 9840/3', 'OR')
    expect(terms).toEqual(['chronic', 'leukemia', '9840/3'])
  })

  test('has as few phrases as words', () => {
    const many = [...'abcdefg'].flatMap((one) => [...'hijkl'].map((two) => `"${one} ${two}"`))
    expect(() => readQuery(many.join(''), 'OR')).toThrow('the query has 47 words; at most 32 words')
  })
})

describe('a phrase', () => {
  const recordOf = (id: string, ...texts: readonly string[]): IndexedRecord => ({
    id,
    filters: {},
    orders: {},
    texts: texts.map((text) => ({ text, weight: 1 })),
  })
  const index = new RecordIndex()
  index.put(recordOf('a', 'chronic myeloid leukemia'))
  index.put(recordOf('b', 'myeloid, chronic', 'leukemia'))
  index.put(recordOf('c', 'chronic myeloids', 'NDC 0002-3227'))
  const idsOf = (q: string) =>
    index.search({ mode: 'OR', filters: {}, offset: 0, count: 9, q }).hits.map(({ id }) => id)

  test('is words of one text that follow each other, and none that begin with them', () => {
    expect(idsOf('"Chronic myeloid"')).toEqual(['a'])
    expect(idsOf('"myeloid chronic"')).toEqual(['b'])
    expect(idsOf('"chronic leukemia"')).toEqual([])
    expect(idsOf('"chronic nothing"')).toEqual([])
    expect(idsOf('"leukemia"').toSorted()).toEqual(['a', 'b'])
    expect(idsOf('"ndc 0002-3227"')).toEqual(['c'])
    expect(idsOf('"chronic myeloid" AND leuk* OR "0002 3227"').toSorted()).toEqual(['a', 'c'])
  })

  test('words that say nothing are searched, and not among the keywords', () => {
    index.put(recordOf('d', 'of the blood'))
    expect(idsOf('"of the blood"')).toEqual(['d'])
    const keywords = index.keywords({ count: 9 }).map(({ keyword }) => keyword)
    expect(keywords).toContain('blood')
    expect(keywords).not.toContain('the')
  })
})
