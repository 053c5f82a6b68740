/** How rows of a table found their cases. */
export interface JoinReport {
  /** Rows, or columns of a matrix, of cases that another source or the release has. */
  readonly joined: number
  /** Those of cases that nothing else names. */
  readonly unjoined: number
  /** The first names of these. */
  readonly names: readonly string[]
}

/** Names that a report lists. */
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

  /** Adds what was counted of other rows of the table. */
  absorb({ joined, unjoined, names }: JoinReport): void {
    this.#joined += joined
    this.#unjoined += unjoined
    for (const name of names) if (this.#names.size < MAX_NAMES) this.#names.add(name)
  }

  get report(): JoinReport {
    return { joined: this.#joined, unjoined: this.#unjoined, names: [...this.#names] }
  }
}

/** What becomes of rows whose case nothing else names. */
export type NewCases = 'refuse' | 'tell' | 'allow'

/**
 * Whether such rows end the import. By default they do if there are cases already and most rows belong
 * to them: the others are then probably mistyped.
 */
export function isRefused(
  { joined, unjoined }: JoinReport,
  { newCases, hasCases }: { readonly newCases: NewCases | undefined; readonly hasCases: boolean },
): boolean {
  if (unjoined === 0) return false
  return newCases === undefined ? hasCases && joined > unjoined : newCases === 'refuse'
}
