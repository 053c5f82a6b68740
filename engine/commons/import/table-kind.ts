import type { DatasetName } from '../datasets/define.ts'
import type { TableCases } from './case-links.ts'
import { type Columns, type RowOf, rowReader } from './columns.ts'
import type { Intake } from './intake.ts'
import type { TablePatients } from './specimens.ts'

/** A kind of table. It is recognised by the columns in its header. */
export interface TableKind {
  /** Name of the kind in reports. */
  readonly name: string
  /** Columns to read, by key. Empty for tables whose columns are fields of a dataset. */
  readonly columns: Columns
  /** Keys of the columns that identify the kind. Of a nested list, one column is enough. */
  readonly needs: readonly (string | readonly string[])[]
  /**
   * Checks further conditions of this kind.
   * @param rows the first rows, for kinds that the header alone does not identify
   */
  matches?(
    columns: ReadonlySet<string>,
    as: DatasetName | undefined,
    rows: readonly (readonly string[])[],
  ): boolean
  /** Whether names of cases and specimens are looked up in other sources. The table is then read after the others. */
  readonly needsCases?: true
  /** Whether each row can be read independently of all others. Pieces can then be read in parallel. */
  readonly rowsStandAlone?: true
  /**
   * Creates a reader for the rows below a header.
   * @throws TableError if the table cannot be read
   */
  open(table: Table): RowReader
}

export interface Table {
  readonly header: readonly string[]
  readonly intake: Intake
  /** Name of the file without its folder. Some contain the reference build. */
  readonly fileName: string
  /** Dataset of the rows if the table is a search result, as given on the command line. */
  readonly as: DatasetName | undefined
  /** Known cases, for kinds that need them. */
  readonly cases?: TableCases | undefined
  /** Patients in the rows that this thread has already read. */
  readonly patients?: TablePatients | undefined
}

export interface RowReader {
  /**
   * Reads a row into the intake.
   * @throws RowError if a cell or the row as a whole is not accepted
   */
  take(cells: readonly string[]): void
  /** Names of columns that are not imported. */
  readonly unused: readonly string[]
}

type KeyOf<C extends Columns> = Extract<keyof C, string>

/** A kind of table with fixed column names. */
interface Declaration<C extends Columns> extends Omit<TableKind, 'columns' | 'needs' | 'open'> {
  readonly columns: C
  readonly needs: readonly (KeyOf<C> | readonly KeyOf<C>[])[]
  /** Texts that mean a missing value. */
  readonly nothing?: ReadonlySet<string>
  /**
   * Creates a function that imports the values of a row. The row object is reused, so the function must not keep
   * it.
   */
  open(table: Table): (row: RowOf<C>) => void
}

/** Creates a kind of table with fixed column names. */
export function declareTable<C extends Columns>(declaration: Declaration<C>): TableKind {
  const { columns, nothing } = declaration
  return {
    ...declaration,
    open(table) {
      const take = declaration.open(table)
      const { header, intake } = table
      const tallyOf = (name: string) => intake.tallyOf(name)
      const { used, read } = rowReader(columns, header, { tallyOf, nothing })
      return {
        unused: header.filter((name) => name !== '' && !used.has(name)),
        take: (cells) => take(read(cells)),
      }
    },
  }
}

/** Returns the possible names of each required column. */
export function neededNames({ columns, needs }: TableKind): readonly (readonly string[])[] {
  return needs.map((keys) => [keys].flat().flatMap((key) => columns[key]?.names ?? []))
}

/** Returns the required columns that a table lacks, each by its first name. */
export function missingColumns(columns: ReadonlySet<string>, kind: TableKind): readonly string[] {
  return neededNames(kind)
    .filter((names) => !names.some((name) => columns.has(name)))
    .map(([name = '']) => name)
}
