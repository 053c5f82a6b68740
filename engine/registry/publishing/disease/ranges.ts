import { type ObjectShape, TEXT, textLike, type ValueOf } from '../content/shape.ts'

// Building blocks of a disease's members (registry.md 3). A missing start or end is unbounded.

const YEAR = { is: 'whole', from: 1000, to: 9999 } as const
const YEARS = { start: YEAR, end: YEAR } as const
const IN_ORDER = ['start', 'end'] as const

const DAY = textLike({
  pattern: /^[1-9]\d{3}(?!\d)/,
  wanted: 'a date that begins with its year, such as 2015-10-01',
})

const SITE = textLike({ pattern: /^C\d{3}$/, wanted: 'a site such as C421' })

export const YEAR_RANGE = {
  is: 'object',
  name: 'YearRange',
  needed: [],
  ordered: IN_ORDER,
  members: YEARS,
} as const satisfies ObjectShape

/** An inclusive range of years; a missing bound is open. @interface */
export type YearRange = ValueOf<typeof YEAR_RANGE>

export const YEARS_TEXT = {
  is: 'object',
  name: 'YearRangeString',
  needed: ['value'],
  ordered: IN_ORDER,
  members: { value: TEXT, ...YEARS },
} as const satisfies ObjectShape

export const YEARS_NUMBER = {
  is: 'object',
  name: 'YearRangeInteger',
  needed: ['value'],
  ordered: IN_ORDER,
  members: { value: { is: 'whole', from: -1_000_000, to: 1_000_000 }, ...YEARS },
} as const satisfies ObjectShape

export const DATED_TEXT = {
  is: 'object',
  name: 'DateRangeString',
  needed: ['value'],
  ordered: IN_ORDER,
  members: { value: TEXT, start: DAY, end: DAY },
} as const satisfies ObjectShape

export const SITE_RANGE = {
  is: 'object',
  name: 'SiteRange',
  needed: ['low', 'high'],
  ordered: ['low', 'high'],
  members: { low: SITE, high: SITE },
} as const satisfies ObjectShape

/** An inclusive range of primary sites. @interface */
export type SiteRange = ValueOf<typeof SITE_RANGE>

export const SOURCE = {
  is: 'object',
  name: 'DiseaseSource',
  needed: [],
  members: { name: TEXT, section: TEXT, pages: TEXT },
} as const satisfies ObjectShape

/** Returns whether a range includes the year. */
export function holdsIn(range: YearRange, year: number): boolean {
  return (range.start ?? 0) <= year && year <= (range.end ?? 9999)
}
