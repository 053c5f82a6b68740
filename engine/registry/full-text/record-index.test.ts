import { describe, expect, test } from 'vitest'
import { atOnce } from '../../shared/concurrency/at-once.ts'
import type { IndexedRecord, RecordQuery } from './record.ts'
import { RecordIndex } from './record-index.ts'

const ALL: RecordQuery = { mode: 'OR', filters: {}, offset: 0, count: 25 }

function recordOf(id: string, text: string, more: Partial<IndexedRecord> = {}): IndexedRecord {
  return { id, texts: [{ text, weight: 1 }], filters: {}, orders: {}, ...more }
}

function indexOf(...records: readonly IndexedRecord[]): RecordIndex {
  const index = new RecordIndex()
  for (const record of records) index.put(record)
  return index
}

const idsOf = (index: RecordIndex, request: Partial<RecordQuery>) =>
  index.search({ ...ALL, ...request }).hits.map(({ id }) => id)

describe('a search', () => {
  const index = indexOf(
    recordOf('d', 'Mesylate'),
    recordOf('c', 'imatinib mesylate'),
    recordOf('b', 'Mesylates'),
    recordOf('a', 'other', { texts: [{ text: 'MÉSYLATE other', weight: 8 }] }),
  )

  test('finds words whatever their case and accents, the heavier and the equal ones first', () => {
    const { terms, total, maxScore, hits } = index.search({ ...ALL, q: ' Mesylate ' })
    expect(terms).toEqual(['mesylate'])
    expect(total).toBe(4)
    expect(hits.map(({ id }) => id)).toEqual(['a', 'd', 'c', 'b'])
    expect(hits[0]!.score).toBe(maxScore)
    expect(hits.every(({ score }) => score! > 0)).toBe(true)
  })

  test('of several words finds those that have one, the more of them the better, or all', () => {
    expect(idsOf(index, { q: 'imatinib mesylate' })).toEqual(['c', 'a', 'd', 'b'])
    expect(idsOf(index, { q: 'imatinib mesylate', mode: 'AND' })).toEqual(['c'])
    expect(idsOf(index, { q: 'mesylate nothing', mode: 'AND' })).toEqual([])
  })

  test('without words finds all by id, without scores', () => {
    for (const q of [undefined, '', '  ']) {
      expect(index.search({ ...ALL, q })).toStrictEqual({
        terms: [],
        total: 4,
        hits: [{ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' }],
      })
    }
  })

  test('for signs alone finds nothing', () => {
    expect(index.search({ ...ALL, q: '--' })).toStrictEqual({ terms: [], total: 0, hits: [] })
  })

  test('has its total whatever page is asked for', () => {
    expect(index.search({ ...ALL, q: 'mesylate', offset: 1e9 })).toMatchObject({
      total: 4,
      hits: [],
    })
    expect(index.search({ ...ALL, offset: 1e9, count: 1_000 })).toEqual({
      terms: [],
      total: 4,
      hits: [],
    })
    expect(index.search({ ...ALL, q: 'mesylate', count: 0 }).total).toBe(4)
    expect(idsOf(index, { q: 'mesylate', offset: 1, count: 2 })).toEqual(['d', 'c'])
  })

  test('that is too long is refused before anything is sought', () => {
    expect(() => index.search({ ...ALL, q: 'x'.repeat(1_001) })).toThrow(
      expect.objectContaining({ code: 'bad_input' }),
    )
  })
})

describe('a code', () => {
  const index = indexOf(
    recordOf('1', 'Strattera 0002-3227'),
    recordOf('2', 'other 0002-4483'),
    recordOf('3', 'ABT 737'),
  )

  test.each([
    ['0002-3227', ['1']],
    ['0002-32', ['1']],
    ['0002', ['1', '2']],
    ['3227', ['1']],
    ['0002-3227-30', ['1', '2']],
    ['abt-737', ['3']],
    ['ABT', ['3']],
  ])('%s is found as typed, else by its parts', (q, ids) => {
    expect(idsOf(index, { q }).sort()).toEqual(ids)
    expect(index.search({ ...ALL, q }).terms).toEqual([q.toLowerCase()])
  })
})

describe('order', () => {
  const names = ['b', 'A', 'é', 'f', undefined, 'B', 10, 9]
  const index = indexOf(...names.map((name, i) => recordOf(`${i}`, 'x', { orders: { name } })))

  test('is by number, then by text without case and accents, absent last in both directions', () => {
    expect(idsOf(index, { order: { name: 'name', descending: false } }).join('')).toBe('76105234')
    expect(idsOf(index, { order: { name: 'name', descending: true } }).join('')).toBe('32051674')
  })

  test('by what no record has is by id', () => {
    expect(idsOf(index, { order: { name: 'none', descending: true } }).join('')).toBe('01234567')
  })
})

describe('filters', () => {
  const index = indexOf(
    recordOf('1', 'x', { filters: { type: ['DRUG'], category: ['A', 'B', 'A'] } }),
    recordOf('2', 'x', { filters: { type: ['DRUG'], category: ['B'] } }),
    recordOf('3', 'x', { filters: { type: ['REGIMEN'] }, orders: { added: '2015-08-30' } }),
  )

  test.each([
    [{ type: ['DRUG'] }, '12'],
    [{ category: ['A', 'B'] }, '12'],
    [{ category: ['A'], type: ['DRUG', 'REGIMEN'] }, '1'],
    [{ category: ['a'] }, ''],
    [{ category: [] }, ''],
    [{ category: undefined }, '123'],
    [{ unknown: ['A'] }, ''],
  ])('%j let pass those that have any value of each', (filters, ids) => {
    expect(idsOf(index, { filters }).join('')).toBe(ids)
    expect(idsOf(index, { filters, q: 'x' }).join('')).toBe(ids)
  })

  test('of a range include its beginning and not its end', () => {
    const within = (from?: string, to?: string) =>
      idsOf(index, { ranges: [{ order: 'added', from, to }] }).join('')
    expect(within('2015-08-30', '2015-08-31')).toBe('3')
    expect(within('2015-08-29', '2015-08-30')).toBe('')
    expect(within()).toBe('3')
    expect(idsOf(index, { ranges: [{ order: 'none', from: '' }] })).toEqual([])
  })
})

describe('keywords', () => {
  test('are the words that begin so, of the records that pass, the most frequent first', () => {
    const index = indexOf(
      recordOf('1', 'Alpha alpha beta', { filters: { is: ['in'] } }),
      recordOf('2', 'alpha amid', { filters: { is: ['in'] } }),
      recordOf('3', 'amid'),
    )
    expect(index.keywords({ q: 'A', count: 9 })).toEqual([
      { keyword: 'alpha', count: 2 },
      { keyword: 'amid', count: 2 },
    ])
    expect(index.keywords({ q: 'a', count: 9, filters: { is: ['in'] } })).toEqual([
      { keyword: 'alpha', count: 2 },
      { keyword: 'amid', count: 1 },
    ])
    index.delete('1')
    expect(index.keywords({ count: 9 })).toEqual([
      { keyword: 'amid', count: 2 },
      { keyword: 'alpha', count: 1 },
    ])
  })

  test('are the same whether few or many words have to be counted', () => {
    const index = indexOf(
      ...Array.from({ length: 300 }, (_, i) =>
        // Each record has the numbers that divide its own. Only the larger half passes the filter.
        recordOf(
          `${i}`,
          divisorsOf(i + 1)
            .map((one) => `w${one}`)
            .join(' '),
          {
            filters: { half: [i < 150 ? 'low' : 'high'] },
          },
        ),
      ),
    )
    for (const count of [1, 5, 40, 400]) {
      const counts = Array.from({ length: 300 }, (_, i) => i + 1)
        .map((one) => ({
          keyword: `w${one}`,
          count: Math.floor(300 / one) - Math.floor(150 / one),
        }))
        .sort((a, b) => b.count - a.count || (a.keyword < b.keyword ? -1 : 1))
      const found = index.keywords({ q: 'w', count, filters: { half: ['high'] } })
      expect(found).toEqual(counts.filter((one) => one.count > 0).slice(0, count))
    }
  })
})

describe('settling', () => {
  test('leaves a pause after every thousand words', () => {
    const index = new RecordIndex({ freeSlots: 0 })
    for (let i = 0; i < 20_000; i++) index.put(recordOf(`${i % 15_000}`, `w${i}`))
    // 15,000 ids and 20,000 words are sorted and merged, and 5,000 slots are removed.
    expect([...index.settle()].length).toBeGreaterThan(100)
    expect(index.size).toBe(15_000)
  })

  test('may be interrupted by changes and searches', () => {
    const index = new RecordIndex({ freeSlots: 0 })
    const put = (i: number, text: string) =>
      index.put(recordOf(`${i}`, `${text} w${i}`, { filters: { text: [text] }, orders: { i } }))
    for (let i = 0; i < 2_000; i++) put(i, 'old')
    for (let i = 0; i < 1_000; i++) put(i, 'new')
    const request = { q: 'old new', order: { name: 'i', descending: true }, count: 3 }
    const steps = index.settle()
    for (let i = 0; !steps.next().done; i++) {
      if (i % 7 === 0) put(1_000 + (i % 50), 'new')
      if (i % 5 === 0) expect(idsOf(index, request)).toEqual(['1999', '1998', '1997'])
    }
    const found = index.search({ ...ALL, filters: { text: ['old'] } }).total
    atOnce(index.settle())
    expect(index.search({ ...ALL, filters: { text: ['old'] } }).total).toBe(found)
    expect(index.search({ ...ALL, q: 'new' }).total).toBe(2_000 - found)
    expect(idsOf(index, { q: 'w7' })).toContain('7')
  })
})

function divisorsOf(number: number): number[] {
  return Array.from({ length: number }, (_, i) => i + 1).filter((one) => number % one === 0)
}
