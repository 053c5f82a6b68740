import { splitList } from '../../shared/input/cell-list.ts'
import { NOTHING } from '../../shared/input/nothing.ts'
import { CELL_READERS, type CellType, type CellValues, CHANGES, EMPTY } from './cells.ts'
import type { ColumnTally } from './column-tally.ts'

/** A column of a kind of table, by all its known names. */
export interface Column<T extends CellType = CellType, L extends boolean = boolean> {
  /** The first one is what messages call it. */
  readonly names: readonly string[]
  readonly type: T
  readonly isList: L
  readonly separator?: string
  /** Key of a list declared before, which has as many values. */
  readonly inStepWith?: string
  /** Texts that stand for nothing elsewhere and are values here. */
  readonly values?: readonly string[]
}

export type Columns = Readonly<Record<string, Column>>

type ValueOf<C> =
  C extends Column<infer T, infer L>
    ? L extends true
      ? readonly (CellValues[T] | undefined)[]
      : CellValues[T] | undefined
    : never

/** The values of a row by the keys of their columns; `undefined` for nothing. */
export type RowOf<C extends Columns> = { readonly [K in keyof C]: ValueOf<C[K]> }

const column =
  <T extends CellType>(type: T) =>
  (...names: readonly [string, ...string[]]): Column<T, false> => ({ names, type, isList: false })

export const text = column('text')
export const whole = column('whole')
export const number = column('number')
export const truth = column('truth')
export const date = column('date')
export const id = column('id')
export const chromosome = column('chromosome')
export const gene = column('gene')
export const strand = column('strand')
export const vital = column('vital')

/** A column whose cells hold several values; a missing one keeps its place. */
export const listOf = <T extends CellType>(
  { names, type }: Column<T, false>,
  separator = ',',
): Column<T, true> => ({ names, type, isList: true, separator })

/** A list with a value for each one of another list, whose column is declared before. */
export const inStepWith = <T extends CellType>(
  key: string,
  list: Column<T, true>,
): Column<T, true> => ({ ...list, inStepWith: key })

/** A column where a text is a value that stands for nothing elsewhere, such as `NA`. */
export const withValues = <T extends CellType>(
  { names, type }: Column<T, false>,
  ...values: readonly string[]
): Column<T, false> => ({ names, type, isList: false, values })

const PASSED_OVER = 'passed over for another column of the same meaning'

/** The beginning `chr` is no difference. */
function isAsWritten(value: unknown, text: string): boolean {
  if (value === text) return true
  const written = String(value)
  return written === text || `chr${written}` === text
}

/** Reads the cells of one column of a table, and counts what becomes of them. */
export class ColumnReader<T extends CellType = CellType> {
  readonly #column: Column<T>
  readonly #tally: ColumnTally
  readonly #nothing: ReadonlySet<string>
  readonly #isEmptyNothing: boolean
  readonly #read: (typeof CELL_READERS)[T]

  constructor(column: Column<T>, tally: ColumnTally, nothing: ReadonlySet<string> = NOTHING) {
    this.#column = column
    this.#tally = tally
    const { values } = column
    this.#nothing = values
      ? new Set([...nothing].filter((each) => !values.includes(each)))
      : nothing
    this.#isEmptyNothing = this.#nothing.has('')
    this.#read = CELL_READERS[column.type]
  }

  /** @throws RowError for an id that is none */
  read(cell: string): CellValues[T] | undefined {
    // Most cells of a wide table are empty.
    const text = cell === '' ? cell : cell.trim()
    if (text === '' ? this.#isEmptyNothing : this.#nothing.has(text)) {
      this.#tally.empty++
      return undefined
    }
    const value = this.#read(text, this.#tally.name)
    if (value === EMPTY) {
      this.#tally.empty++
      return undefined
    }
    if (value === undefined) {
      this.#tally.addMisunderstood(text)
      return undefined
    }
    this.#tally.taken++
    if (!isAsWritten(value, text)) this.#tally.addChange(CHANGES[this.#column.type])
    return value as CellValues[T]
  }

  /** Another column of the same meaning has another value, which counts. */
  passOver(): void {
    this.#tally.addChange(PASSED_OVER)
  }

  /** @param count of values, if it is known */
  readList(cell: string, count?: number): readonly (CellValues[T] | undefined)[] {
    if (this.#nothing.has(cell.trim())) {
      this.#tally.empty++
      return []
    }
    // Commas of a single value separate nothing, whoever wrote it.
    if (count === 1) return [this.read(cell)]
    const { separator = ',' } = this.#column
    const values = separator === ',' ? splitList(cell) : cell.split(separator)
    if (count === undefined || values.length === count) return values.map((each) => this.read(each))
    this.#tally.addMisunderstood(cell.trim())
    return []
  }
}

export interface ReadingOptions {
  readonly tallyOf: (name: string) => ColumnTally
  /** Texts that stand for nothing. */
  readonly nothing?: ReadonlySet<string> | undefined
}

/** Makes what reads the rows of a table by a declaration of its columns. The row is used again. */
export function rowReader<C extends Columns>(
  columns: C,
  header: readonly string[],
  { tallyOf, nothing }: ReadingOptions,
): { readonly used: ReadonlySet<string>; readonly read: (cells: readonly string[]) => RowOf<C> } {
  const keys = Object.keys(columns)
  // Parsed at once, an object of many members keeps each in its place; one that grows looks them up.
  const row: Record<string, unknown> = JSON.parse(
    JSON.stringify(Object.fromEntries(keys.map((key) => [key, null]))),
  )
  const readers = Object.entries(columns).flatMap(([key, column]) => {
    row[key] = column.isList ? [] : undefined
    return column.names.flatMap((name) => {
      const place = header.indexOf(name)
      if (place < 0) return []
      return [
        { key, name, place, column, reader: new ColumnReader(column, tallyOf(name), nothing) },
      ]
    })
  })
  const first = new Map(readers.map((reader) => [reader.key, reader] as const).reverse())
  const found = readers.map((each) => ({ ...each, isFirst: first.get(each.key) === each }))
  return {
    used: new Set(readers.map(({ name }) => name)),
    read(cells) {
      for (const { key, place, column, reader, isFirst } of found) {
        const cell = cells[place] ?? ''
        const value = column.isList
          ? reader.readList(cell, lengthOf(row, column.inStepWith))
          : reader.read(cell)
        const known = isFirst ? undefined : row[key]
        if (known === undefined) row[key] = value
        else if (value !== undefined && value !== known) reader.passOver()
      }
      return row as RowOf<C>
    },
  }
}

function lengthOf(row: Readonly<Record<string, unknown>>, key: string | undefined) {
  const list = key === undefined ? undefined : row[key]
  return Array.isArray(list) ? list.length : undefined
}
