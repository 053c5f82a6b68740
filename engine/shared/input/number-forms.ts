import type { CellExample } from './cell-example.ts'

/** Numbers with a dot or comma in one column, counted by form. */
export interface FormCounts {
  /** Whether the column has whole numbers. */
  readonly isWhole: boolean
  /** Numbers that may have a dot before each three digits, such as `1.000`. */
  readonly thousands: number
  /** Numbers with a dot that cannot be before thousands, such as `34.0`. */
  readonly fractions: number
  /** Texts that can only be numbers with a decimal comma or several dots, such as `3,5` or `1.234.567`. */
  readonly commas: number
  /** First numbers that may have a dot before each three digits. */
  readonly examples: readonly CellExample[]
}

const THOUSANDS = /^[-+]?[1-9]\d{0,2}\.\d{3}$/
const COMMAS =
  /^[-+]?(?:[1-9]\d{0,2}(?:\.\d{3}){2,}|\d{1,3}(?:\.\d{3})+,\d+|0,\d+|\d+,(?:\d{1,2}|\d{4,}))$/
const MAX_EXAMPLES = 3

/** Finds out whether the dots in the numbers of a column are before thousands, as in German. */
export class NumberForms {
  #isWhole = false
  #thousands = 0
  #fractions = 0
  #commas = 0
  readonly #examples: CellExample[] = []

  /** Adds a text with a dot or comma from a column of numbers. */
  add(cell: string, line: number, isWhole: boolean): void {
    this.#isWhole ||= isWhole
    if (COMMAS.test(cell)) this.#commas++
    else if (THOUSANDS.test(cell)) {
      this.#thousands++
      if (this.#examples.length < MAX_EXAMPLES) this.#examples.push({ line, cell })
    } else if (cell.includes('.')) this.#fractions++
  }

  absorb({ isWhole, thousands, fractions, commas, examples }: FormCounts): void {
    this.#isWhole ||= isWhole
    this.#thousands += thousands
    this.#fractions += fractions
    this.#commas += commas
    this.#examples.push(...examples.slice(0, MAX_EXAMPLES - this.#examples.length))
  }

  get counts(): FormCounts {
    return {
      isWhole: this.#isWhole,
      thousands: this.#thousands,
      fractions: this.#fractions,
      commas: this.#commas,
      examples: this.#examples,
    }
  }

  /**
   * Returns why numbers with three digits after a dot may be a thousand times larger, or undefined. In a
   * column of fractions, only a decimal comma is a reason.
   * @param column name of the column
   */
  doubt(column: string): string | undefined {
    const isDoubtful = this.#commas > 0 || (this.#isWhole && this.#fractions === 0)
    if (this.#thousands === 0 || !isDoubtful) return undefined
    const shown = this.#examples.map(({ cell, line }) => `"${cell}" in line ${line}`)
    return `${this.#thousands} values of ${column} have three digits after a dot, which is read as a decimal one: ${shown.join(', ')}; if it stands before thousands, leave it out`
  }
}
