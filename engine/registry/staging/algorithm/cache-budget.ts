/** Longer values are not codes and are not cached. */
const LONGEST_VALUE = 64

/**
 * Budget for the values that the tables of a compiled version cache, in units of about 100 bytes. When the
 * budget is spent, all caches are cleared, so that a stream of invalid values cannot fill the memory.
 */
export class CacheBudget {
  readonly #most: number
  #left: number
  #generation = 0

  constructor(most = 1_000_000) {
    this.#most = most
    this.#left = most
  }

  /** Changes when all caches must be cleared. */
  get generation(): number {
    return this.#generation
  }

  /** Returns whether a value may be cached. If so, a unit is taken from the budget. */
  mayKeep(value: string): boolean {
    if (value.length > LONGEST_VALUE) return false
    this.spend(1)
    return true
  }

  /** Takes units from the budget. When none are left, a new generation starts with a full budget. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left >= 0) return
    this.#left = this.#most
    this.#generation++
  }
}
