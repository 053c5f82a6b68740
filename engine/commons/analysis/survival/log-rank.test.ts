import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countUp } from '../../../shared/arrays/rank-sort.ts'
import { type GroupDeaths, groupDeaths, logRank, poolHazards } from './log-rank.ts'

// test/survival/peers.test.ts compares with R's survdiff. These tests check general properties.

const table = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 15 }), fc.boolean()), { minLength: 1, maxLength: 80 })
  .map((donors) => {
    const sorted = donors.toSorted(([a], [b]) => a - b)
    return {
      times: Float64Array.from(sorted, ([time]) => time),
      deaths: Uint8Array.from(sorted, ([, isDead]) => Number(isDead)),
    }
  })
const seeded = { seed: 68, numRuns: 300 }

/** Computes the deaths of groups, each given by a function that selects donors from the table. */
function compare(
  { times, deaths }: { readonly times: Float64Array; readonly deaths: Uint8Array },
  groups: readonly ((donor: number) => boolean)[],
): readonly GroupDeaths[] {
  const all = countUp(0, times.length)
  const weights = all.map((donor) => groups.filter((isIn) => isIn(donor)).length)
  const pooled = poolHazards(weights, { times, deaths })
  return groups.map((isIn) => groupDeaths(all.filter(isIn), pooled, deaths))
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

test('as many deaths are expected as were observed, however groups overlap', () => {
  fc.assert(
    fc.property(table, (donors) => {
      const groups = compare(donors, [(i) => i % 2 === 0, (i) => i % 3 !== 0, () => true])
      const expected = sum(groups.map((group) => group.expected))
      expect(expected).toBeCloseTo(sum(groups.map(({ observed }) => observed)), 9)
    }),
    seeded,
  )
})

test('a curve does not differ from itself', () => {
  fc.assert(
    fc.property(table, (donors) => {
      const { chiSquared, pValue, degreesFreedom } = logRank(
        compare(donors, [() => true, () => true, () => true]),
      )
      expect(chiSquared).toBeLessThan(1e-20)
      expect(pValue).toBeGreaterThan(1 - 1e-9)
      expect(degreesFreedom).toBe(2)
    }),
    seeded,
  )
})

test('a group that expects no death adds nothing and counts as a degree of freedom', () => {
  const groups = [
    { observed: 0, expected: 0 },
    { observed: 3, expected: 2 },
    { observed: 1, expected: 2 },
  ]
  // (3 - 2)^2 / 2 + (1 - 2)^2 / 2
  expect(logRank(groups)).toMatchObject({ chiSquared: 1, degreesFreedom: 2 })
})
