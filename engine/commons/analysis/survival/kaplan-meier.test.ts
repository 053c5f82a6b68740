import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countUp } from '../../../shared/arrays/rank-sort.ts'
import { orderDonors } from './donor-table.ts'
import { kaplanMeier, logInterval } from './kaplan-meier.ts'

interface Donor {
  readonly time: number
  readonly isDead: boolean
}

/** Few distinct times, so that many donors share one: integers, fractions, negative numbers and zero. */
const time = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom(0.5, 0.1 + 0.2, 0.3, -0.25))
const donor = fc.record({ time, isDead: fc.boolean() })
const donors = fc.array(donor, { minLength: 1, maxLength: 60 })
const seeded = { seed: 4024, numRuns: 300 }

function estimate(given: readonly Donor[]) {
  const part = (isDead: boolean) =>
    Float64Array.from(given, (one) => (one.isDead === isDead ? one.time : Number.NaN))
  const table = orderDonors({ death: part(true), seen: part(false) })
  const steps = kaplanMeier(countUp(0, given.length), table)
  const at = Array.from(steps.ends, (end) => table.times[end - 1]!)
  const survival = new Map(at.map((one, i) => [one, steps.survival[i]!]))
  return { ...steps, table, at, survival: survival as ReadonlyMap<number, number>, steps }
}

const near = (found: number | undefined, expected: number) =>
  expect(Math.abs((found ?? Number.NaN) - expected)).toBeLessThan(1e-12)

describe('survival', () => {
  test('never rises, begins at 1 or below, and ends at 0 or above', () => {
    fc.assert(
      fc.property(donors, (given) => {
        const found = [1, ...estimate(given).steps.survival]
        expect(found).toEqual(found.toSorted((a, b) => b - a))
        expect(found.at(-1)).toBeGreaterThanOrEqual(0)
      }),
      seeded,
    )
  })

  test('is 1 less the part that has died when nobody is censored', () => {
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 60 }), (times) => {
        const { survival } = estimate(times.map((one) => ({ time: one, isDead: true })))
        for (const [at, found] of survival) {
          near(found, 1 - times.filter((one) => one <= at).length / times.length)
        }
      }),
      seeded,
    )
  })

  test('falls at deaths alone', () => {
    fc.assert(
      fc.property(donors, (given) => {
        const { at, survival } = estimate(given)
        let before = 1
        for (const one of at) {
          const fell = given.some(({ time: day, isDead }) => isDead && day === one)
          expect((survival.get(one) ?? 2) < before).toBe(fell)
          before = survival.get(one) ?? 2
        }
      }),
      seeded,
    )
  })

  test('does not depend on the order of cases', () => {
    const shuffled = donors.chain((given) =>
      fc.tuple(
        fc.constant(given),
        fc.shuffledSubarray(given, { minLength: given.length, maxLength: given.length }),
      ),
    )
    fc.assert(
      fc.property(shuffled, ([given, other]) => {
        expect(estimate(other).steps).toEqual(estimate(given).steps)
      }),
      seeded,
    )
  })

  test('is the same after deaths of one day as after as many deaths in a row', () => {
    const counts = fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 20 }))
    fc.assert(
      fc.property(donors, counts, (given, [died, later]) => {
        const until = given.map((one) => ({ ...one, time: Math.min(one.time, 12) }))
        const after = Array.from({ length: later }, () => ({ time: 30, isDead: false }))
        const on = (day: (i: number) => number) =>
          Array.from({ length: died }, (_, i) => ({ time: day(i), isDead: true }))
        const together = estimate([...until, ...on(() => 20), ...after])
        const apart = estimate([...until, ...on((i) => 20 + i / died), ...after])
        const last = Math.max(...apart.at.filter((day) => day < 30))
        near(apart.survival.get(last), together.survival.get(20) ?? Number.NaN)
      }),
      seeded,
    )
  })

  test('counts who is censored on a day among those at risk of dying on it', () => {
    // Computed by hand: of three donors, one dies on the day of another's last contact.
    const { survival } = estimate([
      { time: 5, isDead: true },
      { time: 5, isDead: false },
      { time: 9, isDead: true },
    ])
    near(survival.get(5), 2 / 3)
    expect(survival.get(9)).toBe(0)
  })
})

describe('donors', () => {
  test('are in order of time, then of their cases, and have no time without a fate', () => {
    const nan = Number.NaN
    const { times, deaths, rows } = orderDonors({
      death: Float64Array.of(7, nan, nan, nan, -1.5),
      seen: Float64Array.of(nan, 0, nan, 7, nan),
    })
    expect([...times]).toEqual([-1.5, 0, 7, 7])
    expect([...rows]).toEqual([4, 1, 0, 3])
    expect([...deaths]).toEqual([1, 0, 1, 0])
  })

  test('may be none', () => {
    expect(estimate([]).steps.survival).toHaveLength(0)
  })
})

describe('the interval', () => {
  test('holds the estimate and ends at 1', () => {
    fc.assert(
      fc.property(donors, (given) => {
        const { steps } = estimate(given)
        for (const [i, survival] of steps.survival.entries()) {
          const interval = logInterval(survival, steps.variance[i] ?? Number.NaN)
          if (survival === 0) expect(interval).toBeUndefined()
          else {
            expect(interval?.lower).toBeLessThanOrEqual(survival * (1 + 1e-15))
            expect(interval?.upper).toBeGreaterThanOrEqual(survival * (1 - 1e-15))
            expect(interval?.upper).toBeLessThanOrEqual(1)
          }
        }
      }),
      seeded,
    )
  })
})
