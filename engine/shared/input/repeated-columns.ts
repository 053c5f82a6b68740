import { FormatError } from '../formats/format-error.ts'

interface Repeated {
  readonly name: string
  /** Name of the other column. It differs if a program has numbered the repeated name. */
  readonly other: string
  readonly places: readonly [number, number]
}

/** Matches a column name with the number that pandas and R append to a repeated one. */
const NUMBERED = /^(.+)\.\d{1,2}$/

/** Columns that occur twice in a header. They are accepted as long as their cells are equal. */
export class RepeatedColumns {
  readonly #columns: readonly Repeated[]
  readonly #headerLine: number

  private constructor(columns: readonly Repeated[], headerLine: number) {
    this.#columns = columns
    this.#headerLine = headerLine
  }

  /**
   * Returns `undefined` if no column occurs twice.
   * @param isOfKind whether a column belongs to this kind of table. If it does, a column of its name and a number,
   *   such as `size.1` of pandas and R, is the same column again
   */
  static find(
    header: readonly string[],
    line: number,
    isOfKind: (name: string) => boolean = () => false,
  ): RepeatedColumns | undefined {
    const first = new Map<string, number>()
    const columns: Repeated[] = []
    for (const [place, name] of header.entries()) {
      const known = first.get(name)
      if (known === undefined) first.set(name, place)
      else if (name !== '') columns.push({ name, other: name, places: [known, place] })
    }
    for (const [place, other] of header.entries()) {
      const name = NUMBERED.exec(other)?.[1]
      const known = name === undefined ? undefined : first.get(name)
      if (name === undefined || known === undefined || !isOfKind(name)) continue
      columns.push({ name, other, places: [known, place] })
    }
    return columns.length > 0 ? new RepeatedColumns(columns, line) : undefined
  }

  /**
   * Compares the repeated cells of a row.
   * @throws FormatError if they differ
   */
  compare(cells: readonly string[], line: number): void {
    for (const { name, other, places } of this.#columns) {
      const [one, two] = places
      if (cells[one] === cells[two]) continue
      const numbered = other === name ? '' : ` (as ${other}, which is how pandas and R number it)`
      throw new FormatError(
        `column ${name} occurs twice in line ${this.#headerLine}, as columns ${one + 1} and ${two + 1}${numbered}, which differ in line ${line}; keep one`,
      )
    }
  }
}
