/** Options of an import of code tables. */
export interface CodeImport {
  /** The importer's name in the history. */
  readonly user: string
  /** Whether to report what would change without storing anything. */
  readonly dryRun?: boolean | undefined
  /** Loads the valid rows even if others are refused. By default, one refused row stops the import. */
  readonly skipBad?: boolean | undefined
  /**
   * Keeps stored records that the tables do not list. By default, they are marked as removed, because the
   * tables cover all codes of their kind.
   */
  readonly partial?: boolean | undefined
  /** Refuses the rows that `otherEncoding` counts, instead of repairing them. */
  readonly strict?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: CodeImportStep) => void) | undefined
  /** Called for each row except headers, in order. */
  readonly onRow?: ((row: RowFate) => void) | undefined
  /** Called for each changed record, in ascending order of codes. */
  readonly onChange?: ((change: CodeChange) => void) | undefined
}

/** Progress of an import, in bytes read or rows stored. */
export interface CodeImportStep {
  readonly phase: 'reading' | 'storing'
  readonly done: number
  readonly total: number
}

/** The outcome of a row when its table is loaded. */
export interface RowFate {
  /** The file name as given. */
  readonly file: string
  /** 1-based line number, counting the header. */
  readonly line: number
  /** The row starts a record, is merged into the record of an earlier row, or is refused. */
  readonly fate: 'load' | 'merge' | 'refuse'
  /** The code of the record. For a rejected row, only if it is known. */
  readonly code?: string | undefined
  /** The invalid column, if a single column is the reason. */
  readonly column?: string | undefined
  readonly reason?: string | undefined
}

export const CHANGES = Object.freeze(['added', 'changed', 'removed', 'reappeared'] as const)
export type Change = (typeof CHANGES)[number]

export interface CodeChange {
  readonly code: string
  readonly change: Change
}

/** Row counts of one table by outcome, which add up to `rows`. */
export interface TableReport {
  readonly file: string
  readonly layout: string
  readonly rows: number
  readonly loaded: number
  readonly merged: number
  readonly refused: number
  /** Columns that are ignored, because records have no member for them. */
  readonly dropped: readonly string[]
  /**
   * Number of rows that are not plain UTF-8: rows read as windows-1252, and rows that were once converted to
   * UTF-8 as if they were ISO-8859-1, whose characters U+0080 to U+009F are repaired.
   */
  readonly otherEncoding: number
}

export interface ImportedCodes {
  readonly dryRun: boolean
  /** Whether records were loaded, or would be without dry run. Rejected rows prevent it, unless they are skipped. */
  readonly loaded: boolean
  readonly tables: readonly TableReport[]
  /** Record counts by change. Absent if `loaded` is false. */
  readonly records?: Readonly<Record<Change | 'same', number>>
  /** Number of records whose rows disagree, by column. */
  readonly differing: Readonly<Record<string, number>>
}
