/** Ages of one field in days. */
export interface AgeCount {
  readonly field: string
  readonly count: number
  /** Number of ages that would be plausible as years. */
  readonly likeYears: number
}

/** More years than anybody has lived, apart from one. As days, it is an age of four months. */
const MAX_YEARS = 130

/** Counts ages in days, and finds fields whose ages are rather years. */
export class AgeTally {
  readonly #fields = new Map<string, { count: number; likeYears: number }>()

  /** @param days age, or a negative number of days to a birth */
  add(field: string, days: number): void {
    // The age 0 is the same in days and years.
    if (days !== 0)
      this.absorb([{ field, count: 1, likeYears: Math.abs(days) <= MAX_YEARS ? 1 : 0 }])
  }

  absorb(counts: readonly AgeCount[]): void {
    for (const { field, count, likeYears } of counts) {
      const known = this.#fields.get(field) ?? { count: 0, likeYears: 0 }
      known.count += count
      known.likeYears += likeYears
      this.#fields.set(field, known)
    }
  }

  get counts(): readonly AgeCount[] {
    return [...this.#fields].map(([field, counts]) => ({ field, ...counts }))
  }

  /** Reasons to doubt that the ages of a field are days: most of them are below 131. */
  get doubts(): readonly string[] {
    return this.counts
      .filter(({ count, likeYears }) => 2 * likeYears > count)
      .map(
        ({ field, count, likeYears }) =>
          `${likeYears} of ${count} values of ${field} are within ${MAX_YEARS}, as if they were years; the field has days`,
      )
  }
}
