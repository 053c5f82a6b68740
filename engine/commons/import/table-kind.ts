import type { DatasetName } from '../datasets/define.ts'
import type { TableCases } from './case-links.ts'
import type { Intake } from './intake.ts'

/** A kind of table, recognised by the columns of its header. */
export interface TableKind {
  /** What a report calls it. */
  readonly name: string
  /** The columns by which it is recognised; of several names of one column any will do. */
  readonly needs: readonly (string | readonly string[])[]
  /**
   * What has to be so besides.
   * @param rows the first rows, for kinds that the header alone does not show
   */
  matches?(
    columns: ReadonlySet<string>,
    as: DatasetName | undefined,
    rows: readonly (readonly string[])[],
  ): boolean
  /** Its cases are known by what other sources say, so it is read after these. */
  readonly needsCases?: true
  /**
   * Makes what takes the rows below a header.
   * @throws TableError
   */
  open(table: Table): RowReader
}

export interface Table {
  readonly header: readonly string[]
  readonly intake: Intake
  /** The file's name without its folder: some say which release they belong to. */
  readonly fileName: string
  readonly as: DatasetName | undefined
  /** For kinds that need them. */
  readonly cases?: TableCases | undefined
}

export interface RowReader {
  /** @throws RowError */
  take(cells: readonly string[]): void
  /** Columns that nothing is made of. */
  readonly unused: readonly string[]
}

/** A row's cells by the names of their columns; what stands for a missing value is `undefined`. */
export type NamedCells = (name: string) => string | undefined

/** What tables write where they have nothing. */
const MISSING: ReadonlySet<string> = new Set([
  '',
  'NA',
  "'--",
  '--',
  'Not available',
  'Not Available',
  '[Not Available]',
  '[Not Applicable]',
  '[Unknown]',
])

export function valueIn(cell: string | undefined): string | undefined {
  const text = cell?.trim()
  return text === undefined || MISSING.has(text) ? undefined : text
}

/** A reader that gets its cells by name and declares which columns it knows. */
export function readByName(
  { header }: Table,
  known: readonly string[],
  take: (cell: NamedCells) => void,
): RowReader {
  const places = new Map(header.map((name, i) => [name, i]))
  return {
    unused: header.filter((name) => !known.includes(name)),
    take(cells) {
      take((name) => {
        const place = places.get(name)
        return place === undefined ? undefined : valueIn(cells[place])
      })
    },
  }
}

/** The needed columns that a table lacks, each by its first name. */
export function missingColumns(
  columns: ReadonlySet<string>,
  { needs }: TableKind,
): readonly string[] {
  return needs
    .map((names) => [names].flat())
    .filter((names) => !names.some((name) => columns.has(name)))
    .map(([name = '']) => name)
}

/** A whole number of a cell; `undefined` for anything else. */
export function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Ids of a comma-separated cell. */
export function listIn(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => valueIn(each) !== undefined)
}
