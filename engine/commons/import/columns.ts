import { splitList } from '../../shared/input/cell-list.ts'
import type { ColumnTally } from '../../shared/input/column-tally.ts'
import {
  isNumberOfName,
  isSpreadsheetDate,
  isWrittenList,
} from '../../shared/input/doubtful-text.ts'
import { NOTHING, SPREADSHEET_ERRORS, WRITTEN_NOTHING } from '../../shared/input/nothing.ts'
import { CELL_READERS, type CellType, type CellValues, CHANGES, DOUBTS, EMPTY } from './cells.ts'
import { isSpreadsheetSymbol, SPREADSHEET_SYMBOL } from './unknown-symbols.ts'

/** A column of a kind of table, with all names that it may have. */
export interface Column<T extends CellType = CellType, L extends boolean = boolean> {
  /** Possible names of the column. Messages use the first one. */
  readonly names: readonly string[]
  readonly type: T
  readonly isList: L
  readonly separator?: string
  /** Key of a list declared earlier with the same number of values. */
  readonly inStepWith?: string
  /** Texts that are values here but mean a missing value elsewhere. */
  readonly values?: readonly string[]
  /** Whether numbers of the column are integers by their meaning, although fractions are accepted. */
  readonly isWhole?: boolean
}

export type Columns = Readonly<Record<string, Column>>

type ValueOf<C> =
  C extends Column<infer T, infer L>
    ? L extends true
      ? readonly (CellValues[T] | undefined)[]
      : CellValues[T] | undefined
    : never

/** Values of a row, keyed like their columns. Undefined means missing. */
export type RowOf<C extends Columns> = { readonly [K in keyof C]: ValueOf<C[K]> }

const column =
  <T extends CellType>(type: T) =>
  (...names: readonly [string, ...string[]]): Column<T, false> => ({ names, type, isList: false })

export const text = column('text')
export const name = column('name')
export const symbol = column('symbol')
export const code = column('code')
export const whole = column('whole')
export const count = column('count')
export const md5 = column('md5')
export const number = column('number')
export const truth = column('truth')
export const classification = column('classification')
export const date = column('date')
export const id = column('id')
export const chromosome = column('chromosome')
export const gene = column('gene')
export const strand = column('strand')
export const protein = column('protein')
export const hgvsp = column('hgvsp')
export const hgvsc = column('hgvsc')
export const vital = column('vital')

/** Declares a column with several values per cell. A missing value keeps its position. */
export const listOf = <T extends CellType>(
  { names, type }: Column<T, false>,
  separator = ',',
): Column<T, true> => ({ names, type, isList: true, separator })

/** Declares a list whose values correspond to those of another list. The other list must be declared before it. */
export const inStepWith = <T extends CellType>(
  key: string,
  list: Column<T, true>,
): Column<T, true> => ({ ...list, inStepWith: key })

/** Declares a column in which a text such as `NA` is a value, although it stands for a missing value elsewhere. */
export const withValues = <T extends CellType>(
  known: Column<T, false>,
  ...values: readonly string[]
): Column<T, false> => ({ ...known, values })

/** Words that stand for an empty cell in most tables. */
export const EMPTY_WORDS: ReadonlySet<string> = new Set([...NOTHING, ...WRITTEN_NOTHING])

const TAKEN_FOR_NOTHING = 'such as nan or None, taken for no value'
const UNMARKED = 'written without the apostrophe before it'
const UNWRAPPED = 'written without the formula around it'
const FORMULA = /^="[^"]*"$/
const WITH_QUOTE = 'with a quote before it, which is text because the table is not quoted'
const WRITTEN_LIST = 'a list as Python or R write it, taken as one text'
/** First characters of written lists: a bracket, a brace, `c(` and `list(`. */
const LIST_STARTS: ReadonlySet<number> = new Set([0x5b, 0x7b, 0x63, 0x6c])
const SPREADSHEET_DATE = 'a date such as Aug-03, which a spreadsheet has made of another text'
const PLACEHOLDER =
  'a word such as TUMOR or unknown, which programs and people write for any sample'
/** Words in lower case that stand for any specimen or patient. The MAF that vcf2maf writes by default has them. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  ...['tumor', 'tumour', 'normal', 'unknown', 'sample', 'patient', 'case', 'test', 'not reported'],
])
const LONGEST_PLACEHOLDER = 'not reported'.length
const DECIMAL_NAME = 'a decimal number in place of a name'

/** Types that would take any word for a value. */
const TEXTS: ReadonlySet<CellType> = new Set([
  ...(['text', 'name', 'symbol', 'code'] as const),
  ...(['protein', 'hgvsp', 'hgvsc'] as const),
])
/** Types of numbers, with whether they are integers. */
const NUMBERS: Readonly<Partial<Record<CellType, boolean>>> = {
  whole: true,
  count: true,
  number: false,
}
const PASSED_OVER = 'passed over for another column of the same meaning'

/** Returns whether a value is written as given. A leading `chr` makes no difference. */
function isAsWritten(value: unknown, text: string): boolean {
  if (value === text) return true
  const written = String(value)
  return written === text || `chr${written}` === text
}

/** Trims a text. The usual text begins and ends with visible ASCII characters and is returned without a call. */
function trimmed(text: string): string {
  return isVisible(text.charCodeAt(0)) && isVisible(text.charCodeAt(text.length - 1))
    ? text
    : text.trim()
}

const isVisible = (code: number) => code > 0x20 && code < 0x7f

const QUOTE = 0x22
const APOSTROPHE = 0x27
const EQUALS = 0x3d
const HASH = 0x23

const isPlaceholder = (text: string) =>
  text.length <= LONGEST_PLACEHOLDER && PLACEHOLDERS.has(text.toLowerCase())

/** Reads the cells of one column and counts how they were read. */
export class ColumnReader<T extends CellType = CellType> {
  readonly #column: Column<T>
  readonly #tally: ColumnTally
  readonly #nothing: ReadonlySet<string>
  readonly #isEmptyNothing: boolean
  /** Length of the longest text in `#nothing`. Longer texts are not looked up, because looking up would hash them. */
  readonly #longestNothing: number
  readonly #read: (typeof CELL_READERS)[T]
  readonly #isText: boolean
  readonly #isSymbol: boolean
  /** Whether numbers of the column are integers. Undefined if the column has no numbers. */
  readonly #isWhole: boolean | undefined
  readonly #doubtOf: (typeof DOUBTS)[CellType]

  constructor(column: Column<T>, tally: ColumnTally, nothing: ReadonlySet<string> = EMPTY_WORDS) {
    this.#column = column
    this.#tally = tally
    const { values } = column
    this.#nothing = values
      ? new Set([...nothing].filter((each) => !values.includes(each)))
      : nothing
    this.#isEmptyNothing = this.#nothing.has('')
    this.#longestNothing = Math.max(0, ...[...this.#nothing].map(({ length }) => length))
    this.#read = CELL_READERS[column.type]
    this.#isText = TEXTS.has(column.type)
    this.#isSymbol = column.type === 'symbol'
    this.#isWhole = column.isWhole ?? NUMBERS[column.type]
    this.#doubtOf = DOUBTS[column.type]
  }

  /**
   * Reads a cell.
   * @throws RowError for an invalid id
   */
  read(cell: string): CellValues[T] | undefined {
    const text = this.#unwrapped(trimmed(cell))
    if (this.#isNothing(text)) {
      this.#tally.empty++
      if (this.#isText && WRITTEN_NOTHING.has(text)) this.#tally.addChange(TAKEN_FOR_NOTHING)
      return undefined
    }
    const value = this.#valueOf(text)
    if (this.#isWhole !== undefined && (text.includes('.') || text.includes(','))) {
      this.#tally.addForm(text, this.#isWhole)
    }
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
    if (this.#isSymbol && isSpreadsheetSymbol(text)) this.#tally.addChange(SPREADSHEET_SYMBOL)
    if (this.#isText) this.#noteDoubt(text)
    const doubt = this.#doubtOf?.(String(value))
    if (doubt !== undefined) this.#tally.addChange(doubt)
    return value as CellValues[T]
  }

  /** Returns the text in a formula such as `="00123"`, which keeps spreadsheets from changing the text. */
  #unwrapped(text: string): string {
    if (text.charCodeAt(0) !== EQUALS || !FORMULA.test(text)) return text
    this.#tally.addChange(UNWRAPPED)
    return text.slice(2, -1).trim()
  }

  /** Counts a value that is imported although another program may have changed it. */
  #noteDoubt(text: string): void {
    const first = text.charCodeAt(0)
    const isQuoted = first === APOSTROPHE && text.length > 1 && text.endsWith("'")
    if (first === QUOTE || isQuoted) this.#tally.addChange(WITH_QUOTE)
    const isDigit = first >= 0x30 && first <= 0x39
    if (isDigit && this.#column.type === 'name' && isNumberOfName(text)) {
      this.#tally.addChange(DECIMAL_NAME)
    }
    if (this.#column.type === 'name' && isPlaceholder(text)) this.#tally.addChange(PLACEHOLDER)
    if (!this.#isSymbol && isSpreadsheetDate(text)) this.#tally.addChange(SPREADSHEET_DATE)
    if (LIST_STARTS.has(first) && isWrittenList(text)) this.#tally.addChange(WRITTEN_LIST)
  }

  /** Reads a text. Spreadsheets mark texts by an apostrophe, also numbers that are texts. */
  #valueOf(text: string): CellValues[CellType] | typeof EMPTY | undefined {
    const first = text.charCodeAt(0)
    if (this.#isText && first === HASH && SPREADSHEET_ERRORS.has(text)) return undefined
    if (this.#isText || first !== APOSTROPHE) return this.#read(text, this.#tally.name)
    const value = this.#read(text.slice(1).trim(), this.#tally.name)
    if (value !== undefined) this.#tally.addChange(UNMARKED)
    return value
  }

  #isNothing(text: string): boolean {
    // This is a shortcut, because most cells of a wide table are empty.
    if (text === '') return this.#isEmptyNothing
    return text.length <= this.#longestNothing && this.#nothing.has(text)
  }

  /**
   * Counts a cell that another column of the same meaning overrides. Names of a specimen may differ from each
   * other, but two numbers cannot both be right.
   */
  passOver(cell: string): void {
    this.#tally.addChange(PASSED_OVER)
    if (this.#isWhole === undefined) return
    this.#tally.taken--
    this.#tally.addMisunderstood(cell.trim())
  }

  /**
   * Reads a cell with several values. Returns none if their number is not `count`.
   * @param count number of values, if it is known
   */
  readList(cell: string, count?: number): readonly (CellValues[T] | undefined)[] {
    if (this.#nothing.has(cell.trim())) {
      this.read(cell)
      return []
    }
    // If a single value is expected, commas are part of it.
    if (count === 1) return [this.read(cell)]
    const { separator = ',' } = this.#column
    const values = separator === ',' ? splitList(cell) : cell.split(separator)
    if (count === undefined || values.length === count) return values.map((each) => this.read(each))
    this.#tally.addMisunderstood(cell.trim())
    return []
  }
}

interface ReadingOptions {
  readonly tallyOf: (name: string) => ColumnTally
  /** Texts that mean a missing value. */
  readonly nothing?: ReadonlySet<string> | undefined
}

/** Creates a reader for the rows of a table from declared columns. The returned row is reused. */
export function rowReader<C extends Columns>(
  columns: C,
  header: readonly string[],
  { tallyOf, nothing }: ReadingOptions,
): { readonly used: ReadonlySet<string>; readonly read: (cells: readonly string[]) => RowOf<C> } {
  const keys = Object.keys(columns)
  // Parsing creates an object with a fixed shape. An object that grows member by member would become a slow
  // dictionary.
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
        else if (value !== undefined && value !== known) reader.passOver(cell)
      }
      return row as RowOf<C>
    },
  }
}

function lengthOf(row: Readonly<Record<string, unknown>>, key: string | undefined) {
  const list = key === undefined ? undefined : row[key]
  return Array.isArray(list) ? list.length : undefined
}
