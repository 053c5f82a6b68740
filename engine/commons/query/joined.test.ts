import { describe, expect, test } from 'vitest'
import { Scratch } from '../../shared/executor.ts'
import { evaluate } from './evaluate.ts'
import { countJoined, join } from './joined.ts'
import { queryOf } from './support/ask.ts'
import { joinsOf } from './support/joins.ts'
import { memoryRelease } from './support/memory-release.ts'
import { Dice } from './support/random-commons.ts'

const level = (offsets: readonly number[]) => ({
  kind: 'level' as const,
  inverse: false,
  size: offsets.at(-1)!,
  irregular: undefined,
  irregularities: 0,
  offsets: Uint32Array.from(offsets),
  parents: new Uint32Array(0),
})

describe('a joined field', () => {
  // Rows: one element; two equal codes; two codes; none; no code; a code and no code; four.
  const direct = {
    levels: [level([0, 1, 3, 5, 5, 6, 8, 12])],
    lookup: { codes: Uint8Array.of(1, 2, 2, 1, 2, 0, 0, 3, 3, 1, 3, 2) },
    size: 12,
  }

  test('counts a row once for each of its codes', () => {
    const joined = join(direct, { rows: 7, distinct: 3, isBound: true })
    expect([...countJoined(joined, { size: 7, count: 7 }, 3)!]).toEqual([2, 3, 3, 2])
    expect([
      ...countJoined(joined, { size: 7, count: 2, bits: Int32Array.of(0b0100100) }, 3)!,
    ]).toEqual([1, 1, 1, 1])
  })

  test('counts a selected row without a code at 0', () => {
    const joined = join(direct, { rows: 7, distinct: 3, isBound: false })
    expect([...countJoined(joined, { size: 7, count: 7 }, 3)!]).toEqual([2, 3, 3, 2])
    expect([
      ...countJoined(joined, { size: 7, count: 2, bits: Int32Array.of(0b0101000) }, 3)!,
    ]).toEqual([1, 0, 0, 1])
  })

  test('is not joined when its sets are too many', () => {
    const rows = 5000
    const dice = new Dice(1)
    const codes = Uint16Array.from({ length: 2 * rows }, () => 1 + dice.below(200))
    const levels = [level(Array.from({ length: rows + 1 }, (_, i) => 2 * i))]
    const many = { levels, lookup: { codes }, size: 2 * rows }
    const joined = join(many, { rows, distinct: 200, isBound: true })
    expect(joined.numbers).toBeUndefined()
    expect(countJoined(joined, { size: rows, count: rows }, 200)).toBeUndefined()
  })

  test('answers as the levels and links do', () => {
    const release = memoryRelease({
      files: Array.from({ length: 50 }, (_, i) => ({
        file_id: `f${i}`,
        cases: [{ case_id: `c${i % 3}`, samples: [] }],
      })),
      cases: [0, 1, 2].map((i) => ({ case_id: `c${i}`, primary_site: `site ${i % 2}` })),
    })
    const query = queryOf('files', { facets: ['cases.primary_site'] })
    const joins = joinsOf(query, release.arrays)
    expect([...joins.keys()]).toEqual(['cases.primary_site'])
    expect(evaluate(query, release.arrays, joins)).toEqual(evaluate(query, release.arrays))
  })
})

test('a full thread cache drops the least recently used entry', () => {
  const scratch = new Scratch()
  const made: string[] = []
  const ask = (key: string) =>
    scratch.cached(key, () => {
      made.push(key)
      return { bytes: 6 << 20 }
    })
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) ask(key)
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})
