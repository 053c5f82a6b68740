import type { CellExample } from './cell-example.ts'
import type { NameCount } from './name-counts.ts'
import { type FormCounts, NumberForms } from './number-forms.ts'

/** Counts for the cells of one column, or for one field in JSON records. */
export interface ColumnReport {
  readonly name: string
  readonly taken: number
  readonly empty: number
  /** Kinds of changes to cells, with counts. */
  readonly changed: readonly NameCount[]
  readonly misunderstood: number
  /** First cells that could not be interpreted. */
  readonly examples: readonly CellExample[]
}

const MAX_EXAMPLES = 3
/** Number of characters of a cell in a report. */
const MAX_SHOWN = 80

/** Counts the cells of one column by how they were read. */
export class ColumnTally {
  readonly name: string
  readonly #line: () => number
  taken = 0
  empty = 0
  #misunderstood = 0
  readonly #changed = new Map<string, number>()
  readonly #examples: CellExample[] = []
  #forms: NumberForms | undefined

  /** @param line returns the number of the line being read */
  constructor(name: string, line: () => number) {
    this.name = name
    this.#line = line
  }

  addChange(rule: string, count = 1): void {
    this.#changed.set(rule, (this.#changed.get(rule) ?? 0) + count)
  }

  /** Adds the counts of further cells of the column. */
  absorb({ taken, empty, changed, misunderstood, examples }: ColumnReport): void {
    this.taken += taken
    this.empty += empty
    for (const { name, count } of changed) this.addChange(name, count)
    this.#misunderstood += misunderstood
    this.#examples.push(...examples.slice(0, MAX_EXAMPLES - this.#examples.length))
  }

  addMisunderstood(cell: string): void {
    this.#misunderstood++
    if (this.#examples.length === MAX_EXAMPLES) return
    this.#examples.push({ line: this.#line(), cell: cell.slice(0, MAX_SHOWN) })
  }

  /** Notes how a number with a dot or comma is written. */
  addForm(cell: string, isWhole: boolean): void {
    this.#forms ??= new NumberForms()
    this.#forms.add(cell.slice(0, MAX_SHOWN), this.#line(), isWhole)
  }

  /** Adds the forms of further numbers of the column. */
  absorbForms(counts: FormCounts): void {
    this.#forms ??= new NumberForms()
    this.#forms.absorb(counts)
  }

  /** Forms of the numbers with a dot or comma. Undefined if there are no such numbers. */
  get forms(): FormCounts | undefined {
    return this.#forms?.counts
  }

  /** A reason why the numbers of the column may have been read wrongly. Undefined if there is none. */
  get doubt(): string | undefined {
    return this.#forms?.doubt(this.name)
  }

  report(): ColumnReport {
    return {
      name: this.name,
      taken: this.taken,
      empty: this.empty,
      changed: [...this.#changed].map(([name, count]) => ({ name, count })),
      misunderstood: this.#misunderstood,
      examples: this.#examples,
    }
  }
}

/** Tallies of the columns of one table, or of the fields of JSON records, in order of first use. */
export class ColumnTallies {
  readonly #tallies = new Map<string, ColumnTally>()
  readonly #line: () => number

  /** @param line returns the number of the line being read */
  constructor(line: () => number) {
    this.#line = line
  }

  /** Returns the tally of a column, which is created on first use. */
  of(name: string): ColumnTally {
    const known = this.#tallies.get(name)
    const tally = known ?? new ColumnTally(name, this.#line)
    if (!known) this.#tallies.set(name, tally)
    return tally
  }

  /** Forms of numbers by column. */
  get forms(): readonly (readonly [column: string, counts: FormCounts])[] {
    return [...this.#tallies].flatMap(([name, { forms }]) =>
      forms ? [[name, forms] as const] : [],
    )
  }

  /** Reasons to doubt the numbers of columns. */
  get doubts(): readonly string[] {
    return [...this.#tallies.values()].flatMap(({ doubt }) => doubt ?? [])
  }

  report(): readonly ColumnReport[] {
    return [...this.#tallies.values()].map((tally) => tally.report())
  }
}

/** Returns a line for each column with changed or unreadable cells, or for every column. */
export function columnLines(columns: readonly ColumnReport[], all = false): readonly string[] {
  return columns
    .filter(({ changed, misunderstood }) => all || changed.length > 0 || misunderstood > 0)
    .map(({ name, taken, empty, changed, misunderstood, examples }) => {
      const shown = examples.map(({ line, cell }) => `"${cell}" in line ${line}`).join(', ')
      const parts = [
        `${taken} taken, ${empty} empty`,
        ...changed.map((rule) => `${rule.count} ${rule.name}`),
        ...(misunderstood > 0 ? [`${misunderstood} not understood: ${shown}`] : []),
      ]
      return `  column ${name}: ${parts.join(', ')}`
    })
}
