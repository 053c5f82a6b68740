import { kindInBarcode, type SpecimenKind } from './biospecimen/specimen-kind.ts'
import type { Table } from './table-kind.ts'

/** Maximum number of names to remember. Checking a name twice is harmless. */
const MAX_REMEMBERED = 100_000

const REASONS: Readonly<Record<SpecimenKind, string>> = {
  normal: 'rows name a specimen of normal tissue where the tumor belongs',
  tumor: 'rows name a specimen of a tumor where the normal belongs',
}

/** Counts rows that name a normal specimen in a column for tumors, or the reverse. */
export class SpecimenDoubts {
  readonly #table: Pick<Table, 'cases' | 'intake'>
  readonly #kinds = new Map<string, SpecimenKind | undefined>()

  constructor(table: Pick<Table, 'cases' | 'intake'>) {
    this.#table = table
  }

  /** Checks the first of these names or ids of a specimen whose kind is known. */
  judge(wanted: SpecimenKind, ...names: readonly (string | undefined)[]): void {
    for (const name of names) {
      const kind = name === undefined ? undefined : this.#kindOf(name)
      if (name === undefined || kind === undefined) continue
      if (kind !== wanted) this.#table.intake.doubt(REASONS[kind], name)
      return
    }
  }

  #kindOf(name: string): SpecimenKind | undefined {
    if (this.#kinds.has(name)) return this.#kinds.get(name)
    const { cases } = this.#table
    const kind = cases ? cases.kindOf(name) : kindInBarcode(name)
    if (this.#kinds.size >= MAX_REMEMBERED) this.#kinds.clear()
    this.#kinds.set(name, kind)
    return kind
  }
}
