import { FormatError } from '../formats/format-error.ts'

interface Repeated {
  readonly name: string
  readonly places: readonly [number, number]
}

/** Columns that occur twice in a header. They are accepted as long as their cells are equal. */
export class RepeatedColumns {
  readonly #columns: readonly Repeated[]
  readonly #headerLine: number

  private constructor(columns: readonly Repeated[], headerLine: number) {
    this.#columns = columns
    this.#headerLine = headerLine
  }

  /** Returns `undefined` if no column occurs twice. */
  static find(header: readonly string[], line: number): RepeatedColumns | undefined {
    const first = new Map<string, number>()
    const columns: Repeated[] = []
    for (const [place, name] of header.entries()) {
      const known = first.get(name)
      if (known === undefined) first.set(name, place)
      else if (name !== '') columns.push({ name, places: [known, place] })
    }
    return columns.length > 0 ? new RepeatedColumns(columns, line) : undefined
  }

  /**
   * Compares the repeated cells of a row.
   * @throws FormatError if they differ
   */
  compare(cells: readonly string[], line: number): void {
    for (const { name, places } of this.#columns) {
      const [one, other] = places
      if (cells[one] === cells[other]) continue
      throw new FormatError(
        `column ${name} occurs twice in line ${this.#headerLine}, as columns ${one + 1} and ${other + 1}, which differ in line ${line}; keep one`,
      )
    }
  }
}
