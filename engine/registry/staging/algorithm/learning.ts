/** Values longer than this are no codes; they are compared afresh each time. */
const LONGEST_VALUE = 64

/**
 * How much the tables of one compiled version may keep about the values they have met, in units of
 * about a hundred bytes. When it is used up, all of it is dropped and learned again, so that no
 * stream of odd values can fill the memory.
 */
export class Learning {
  readonly #most: number
  #left: number
  #generation = 0

  constructor(most = 1_000_000) {
    this.#most = most
    this.#left = most
  }

  /** Changes when everything has to be forgotten. */
  get generation(): number {
    return this.#generation
  }

  mayKeep(value: string): boolean {
    if (value.length > LONGEST_VALUE) return false
    this.spend(1)
    return true
  }

  spend(units: number): void {
    this.#left -= units
    if (this.#left >= 0) return
    this.#left = this.#most
    this.#generation++
  }
}
