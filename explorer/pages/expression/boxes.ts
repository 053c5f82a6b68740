import { quantile } from '../../groups/quantiles.ts'

/** Value of a gene in a case of a group. */
export interface Grouped {
  readonly caseId: string
  readonly group: string
  /** log2(uqfpkm + 1) */
  readonly value: number
}

/** Quartiles of a group, ends of its whiskers, and cases beyond them. */
export interface Box {
  readonly group: string
  readonly cases: number
  readonly low: number
  readonly first: number
  readonly median: number
  readonly third: number
  readonly high: number
  readonly beyond: readonly Grouped[]
}

/** Whiskers reach the last value within this many heights of the box. */
const REACH = 1.5

/** Returns the box of a group as R's `boxplot.stats` with quartiles of type 7. None without values. */
export function boxOf(group: string, rows: readonly Grouped[]): readonly Box[] {
  if (rows.length === 0) return []
  const values = rows.map(({ value }) => value).toSorted((one, other) => one - other)
  const [first, median, third] = [
    quantile(values, 0.25),
    quantile(values, 0.5),
    quantile(values, 0.75),
  ]
  const reach = REACH * (third - first)
  const isWithin = (value: number) => value >= first - reach && value <= third + reach
  const within = values.filter(isWithin)
  const beyond = rows.filter(({ value }) => !isWithin(value))
  const [low, high] = [within[0] ?? median, within.at(-1) ?? median]
  return [{ group, cases: rows.length, low, first, median, third, high, beyond }]
}
