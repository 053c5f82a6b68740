import type { DatasetName } from '../datasets/define.ts'
import type { TableCases } from './case-links.ts'
import { type Columns, type RowOf, rowReader } from './columns.ts'
import type { Intake } from './intake.ts'

/** A kind of table, recognised by the columns of its header. */
export interface TableKind {
  /** The name of the kind in reports. */
  readonly name: string
  /** The columns that are read, by keys. Tables whose columns are fields of a dataset list none. */
  readonly columns: Columns
  /** Keys of the columns by which the kind is recognised. Any one column of a list suffices. */
  readonly needs: readonly (string | readonly string[])[]
  /**
   * What else must hold.
   * @param rows the first rows, for kinds that the header alone does not show
   */
  matches?(
    columns: ReadonlySet<string>,
    as: DatasetName | undefined,
    rows: readonly (readonly string[])[],
  ): boolean
  /** Names of cases and specimens are looked up in the other sources, so the table is read after them. */
  readonly needsCases?: true
  /** What is made of a row depends on no other row, so that parts of a table can be read apart. */
  readonly rowsStandAlone?: true
  /**
   * Makes what takes the rows below a header.
   * @throws TableError
   */
  open(table: Table): RowReader
}

export interface Table {
  readonly header: readonly string[]
  readonly intake: Intake
  /** The file's name without its folder. Some names contain the release. */
  readonly fileName: string
  readonly as: DatasetName | undefined
  /** For kinds that need them. */
  readonly cases?: TableCases | undefined
}

export interface RowReader {
  /** @throws RowError */
  take(cells: readonly string[]): void
  /** Columns that are not imported. */
  readonly unused: readonly string[]
}

type KeyOf<C extends Columns> = Extract<keyof C, string>

/** A kind whose columns have fixed names. */
interface Declaration<C extends Columns> extends Omit<TableKind, 'columns' | 'needs' | 'open'> {
  readonly columns: C
  readonly needs: readonly (KeyOf<C> | readonly KeyOf<C>[])[]
  /** Texts that stand for nothing. */
  readonly nothing?: ReadonlySet<string>
  /** Makes what takes the values of a row. It may not keep the row, which is used again. */
  open(table: Table): (row: RowOf<C>) => void
}

/** Declares a kind of table. */
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

/** The names that each needed column may have. */
export function neededNames({ columns, needs }: TableKind): readonly (readonly string[])[] {
  return needs.map((keys) => [keys].flat().flatMap((key) => columns[key]?.names ?? []))
}

/** The needed columns that a table lacks, each by its first name. */
export function missingColumns(columns: ReadonlySet<string>, kind: TableKind): readonly string[] {
  return neededNames(kind)
    .filter((names) => !names.some((name) => columns.has(name)))
    .map(([name = '']) => name)
}
