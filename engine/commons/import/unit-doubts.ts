/** Kinds of numbers that are often given in another unit. */
export type Measure = 'age' | 'time' | 'ratio'

/** Numbers in one field. */
export interface MeasureCount {
  readonly field: string
  readonly measure: Measure
  readonly count: number
  /** Number of values that would be plausible in the other unit. */
  readonly like: number
}

interface Rule {
  /** Whether a number would be plausible in the other unit. */
  readonly isLike: (value: number) => boolean
  /** Minimum number of values for a doubt. */
  readonly least: number
  /** Share of the values that must be exceeded for a doubt. A share of 1 must be reached. */
  readonly share: number
  readonly says: (count: MeasureCount) => string
}

/** More years than any person has lived. As days, this is an age of four months. */
const MAX_YEARS = 130
/** More months than most patients are followed. As days, this is shorter than the follow-up of any study. */
const MAX_MONTHS = 240
/** Number of values from which it is unlikely that a whole column is on one side of a limit. */
const MANY = 20

const RULES: Readonly<Record<Measure, Rule>> = {
  age: {
    isLike: (days) => Math.abs(days) <= MAX_YEARS,
    least: 1,
    share: 0.5,
    says: ({ field, count, like }) =>
      `${like} of ${count} values of ${field} are within ${MAX_YEARS}, as if they were years; it has days`,
  },
  time: {
    isLike: (days) => Math.abs(days) <= MAX_MONTHS,
    least: MANY,
    share: 1,
    says: ({ field }) =>
      `no value of ${field} is above ${MAX_MONTHS}, as if they were months; it has days`,
  },
  ratio: {
    isLike: (ratio) => ratio >= 0,
    least: MANY,
    share: 1,
    says: ({ field }) =>
      `no value of ${field} is below 0, as if they were ratios or copies; it has log2 ratios`,
  },
}

/** Counts numbers by field. Finds fields whose numbers seem to be in another unit. */
export class UnitDoubts {
  readonly #fields = new Map<string, { measure: Measure; count: number; like: number }>()

  /** Adds a number. An age of 0 is the same in all units. */
  add(field: string, measure: Measure, value: number): void {
    if (measure === 'age' && value === 0) return
    const known = this.#of(field, measure)
    known.count++
    if (RULES[measure].isLike(value)) known.like++
  }

  absorb(counts: readonly MeasureCount[]): void {
    for (const { field, measure, count, like } of counts) {
      const known = this.#of(field, measure)
      known.count += count
      known.like += like
    }
  }

  get counts(): readonly MeasureCount[] {
    return [...this.#fields].map(([field, counts]) => ({ field, ...counts }))
  }

  /** Reasons to doubt the units of fields. */
  get doubts(): readonly string[] {
    return this.counts
      .filter(({ measure, count, like }) => {
        const { least, share } = RULES[measure]
        return count >= least && (share === 1 ? like === count : like > share * count)
      })
      .map((each) => RULES[each.measure].says(each))
  }

  #of(field: string, measure: Measure) {
    const known = this.#fields.get(field)
    if (known) return known
    const counts = { measure, count: 0, like: 0 }
    this.#fields.set(field, counts)
    return counts
  }
}
