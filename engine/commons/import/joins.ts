/** Numbers of a table's rows whose case is known and is not known. */
export interface JoinReport {
  /** Number of rows, or of columns of a matrix, whose case is in another source or in the release. */
  readonly joined: number
  /** Number of rows or columns whose case no other source names. */
  readonly unjoined: number
  /** Names of the first unknown cases. */
  readonly names: readonly string[]
}

/** Number of names in a report. */
const MAX_NAMES = 20

/** Counts the rows of one table by whether their case is known. */
export class Joins {
  #joined = 0
  #unjoined = 0
  readonly #names = new Set<string>()

  add(): void {
    this.#joined++
  }

  addNew(name: string): void {
    this.#unjoined++
    if (this.#names.size < MAX_NAMES) this.#names.add(name)
  }

  /** Adds the counts of further rows of the table. */
  absorb({ joined, unjoined, names }: JoinReport): void {
    this.#joined += joined
    this.#unjoined += unjoined
    for (const name of names) if (this.#names.size < MAX_NAMES) this.#names.add(name)
  }

  get report(): JoinReport {
    return { joined: this.#joined, unjoined: this.#unjoined, names: [...this.#names] }
  }
}

/** How to treat rows whose case no other source names. */
export type NewCases = 'refuse' | 'tell' | 'allow'

/**
 * Returns whether rows with unknown cases end the import. By default, they do if there were cases before and
 * most rows belong to known cases, because the other names are then probably mistyped.
 */
export function isRefused(
  { joined, unjoined }: JoinReport,
  { newCases, hasCases }: { readonly newCases: NewCases | undefined; readonly hasCases: boolean },
): boolean {
  if (unjoined === 0) return false
  return newCases === undefined ? hasCases && joined > unjoined : newCases === 'refuse'
}
