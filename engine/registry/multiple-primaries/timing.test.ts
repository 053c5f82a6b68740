import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { daysInMonth } from './day-number.ts'
import { type Diagnosis, diagnosisOf } from './diagnosis.ts'
import { atLeastYears, comesAfter, laterOf, moreThanDays, withinDays } from './timing.ts'

// A result for dates with missing parts must hold for all values of these parts. The expected result is found by
// trying every day that a date may stand for, with JavaScript's own calendar.

interface PartialDate {
  readonly year: number
  readonly month?: number | undefined
  readonly day?: number | undefined
}

const DAY = 86_400_000

function tumourOn({ year, month, day }: PartialDate): Diagnosis {
  return diagnosisOf(
    {
      primary_site: 'C509',
      histology_icd_o3: '8500',
      behavior_icd_o3: '3',
      date_of_diagnosis_year: String(year),
      date_of_diagnosis_month: month === undefined ? '' : String(month).padStart(2, '0'),
      date_of_diagnosis_day: day === undefined ? '99' : String(day),
    },
    2026,
  )
}

function possibleDays({ year, month, day }: PartialDate): Date[] {
  const months = month === undefined ? Array.from({ length: 12 }, (_, i) => i + 1) : [month]
  return months.flatMap((one) => {
    const length = daysInMonth(year, one)
    const days =
      month === undefined || day === undefined || day > length
        ? Array.from({ length }, (_, i) => i + 1)
        : [day]
    return days.map((d) => new Date(Date.UTC(year, one - 1, d)))
  })
}

function everyPair(one: PartialDate, other: PartialDate): (readonly [Date, Date])[] {
  const others = possibleDays(other)
  return possibleDays(one).flatMap((first) => others.map((second) => [first, second] as const))
}

const daysBetween = ([one, other]: readonly [Date, Date]) =>
  Math.abs(one.getTime() - other.getTime()) / DAY

const partialDate = fc.record({
  year: fc.integer({ min: 2018, max: 2021 }),
  month: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 8 }),
  day: fc.option(fc.integer({ min: 1, max: 31 }), { nil: undefined, freq: 2 }),
})

/** Two dates, often a few days apart. */
const twoDates = fc
  .tuple(
    partialDate,
    fc.oneof(
      partialDate.map(() => undefined),
      partialDate,
    ),
    fc.integer({ min: -65, max: 65 }),
  )
  .map(([one, other, days]): readonly [PartialDate, PartialDate] => {
    const [first] = possibleDays(one)
    if (other !== undefined || first === undefined) return [one, other ?? one]
    const near = new Date(first.getTime() + days * DAY)
    const [year, month, day] = [near.getUTCFullYear(), near.getUTCMonth() + 1, near.getUTCDate()]
    return [one, { year, month, day }]
  })

const seeded = { seed: 60, numRuns: 300 }

describe('days between two dates', () => {
  test.each([21, 60])('%i days or fewer: yes, no, or the dates must be known better', (days) => {
    fc.assert(
      fc.property(twoDates, ([one, other]) => {
        const found = new Set(everyPair(one, other).map((pair) => daysBetween(pair) <= days))
        const wanted = found.size === 2 ? 'date' : found.has(true)
        expect(withinDays(days)(tumourOn(one), tumourOn(other))).toBe(wanted)
        expect(moreThanDays(days)(tumourOn(one), tumourOn(other))).toBe(
          wanted === 'date' ? wanted : !wanted,
        )
      }),
      seeded,
    )
  })

  test('the last day of the time counts as within it', () => {
    const on = (month: number, day: number) => tumourOn({ year: 2019, month, day })
    expect(withinDays(60)(on(3, 1), on(4, 30))).toBe(true)
    expect(withinDays(60)(on(3, 1), on(5, 1))).toBe(false)
    // The day of January that is furthest from the 10th is the 31st.
    expect(withinDays(21)(on(1, 10), tumourOn({ year: 2019, month: 1 }))).toBe(true)
    expect(withinDays(20)(on(1, 10), tumourOn({ year: 2019, month: 1 }))).toBe('date')
  })
})

describe('the order of two dates', () => {
  test('is known only where it holds for every day they can be', () => {
    fc.assert(
      fc.property(twoDates, ([one, other]) => {
        const pairs = everyPair(one, other).map(([a, b]) => Math.sign(a.getTime() - b.getTime()))
        const signs = { first: 1, second: -1, same: 0 }
        const later = laterOf(tumourOn(one), tumourOn(other))
        const isKnown = new Set(pairs).size === 1
        expect(later).toBe(
          isKnown ? Object.entries(signs).find(([, sign]) => sign === pairs[0])?.[0] : 'unknown',
        )
      }),
      seeded,
    )
  })

  test('turns around when the tumours are given in the other order', () => {
    const turned = { first: 'second', second: 'first', same: 'same', unknown: 'unknown' } as const
    fc.assert(
      fc.property(twoDates, ([one, other]) => {
        const [a, b] = [tumourOn(one), tumourOn(other)]
        expect(laterOf(b, a)).toBe(turned[laterOf(a, b)])
      }),
      seeded,
    )
  })

  test('decides which kind came after which', () => {
    const [early, late] = [tumourOn({ year: 2018 }), tumourOn({ year: 2019 })]
    const isLate = (tumour: Diagnosis) => tumour === late
    const isEarly = (tumour: Diagnosis) => tumour === early
    expect(comesAfter(isLate, isEarly)(early, late)).toBe(true)
    expect(comesAfter(isLate, isEarly)(late, early)).toBe(true)
    expect(comesAfter(isEarly, isLate)(early, late)).toBe(false)
    expect(comesAfter(isEarly, isEarly)(early, late)).toBe(false)
  })
})

describe('years between two dates', () => {
  /** Returns the number of whole years by the calendar. The anniversary counts. */
  function wholeYears([one, other]: readonly [Date, Date]): number {
    const [early, late] = one < other ? [one, other] : [other, one]
    const years = late.getUTCFullYear() - early.getUTCFullYear()
    const anniversary = [early.getUTCMonth(), early.getUTCDate()]
    const day = [late.getUTCMonth(), late.getUTCDate()]
    const hasCome =
      day[0] === anniversary[0] ? day[1]! >= anniversary[1]! : day[0]! > anniversary[0]!
    return hasCome ? years : years - 1
  }

  test.each([1, 3])('%i years or more is said only where it is so for every day', (years) => {
    fc.assert(
      fc.property(twoDates, ([one, other]) => {
        const answer = atLeastYears(years)(tumourOn(one), tumourOn(other))
        const found = new Set(everyPair(one, other).map((pair) => wholeYears(pair) >= years))
        if (answer !== 'date') expect([...found]).toEqual([answer])
        else expect(Math.abs(one.year - other.year)).toBe(years)
      }),
      seeded,
    )
  })

  test('the anniversary itself is that far apart', () => {
    const on = (year: number, day: number) => tumourOn({ year, month: 5, day })
    expect(atLeastYears(5)(on(2015, 7), on(2020, 7))).toBe(true)
    expect(atLeastYears(5)(on(2020, 6), on(2015, 7))).toBe(false)
    expect(atLeastYears(5)(on(2015, 7), tumourOn({ year: 2020, month: 5 }))).toBe('date')
    expect(atLeastYears(5)(on(2015, 7), tumourOn({ year: 2020 }))).toBe('date')
  })
})
