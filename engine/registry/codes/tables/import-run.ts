/** Options of an import of code tables. */
export interface CodeImport {
  /** The importer's name in the history. */
  readonly user: string
  /** Reports what would change without storing anything. */
  readonly dryRun?: boolean | undefined
  /**
   * Loads the valid rows even if others are refused. By default, one refused row keeps the whole import from
   * loading.
   */
  readonly skipBad?: boolean | undefined
  /** Keeps records that the tables do not list, because they do not cover all codes of their kind. */
  readonly partial?: boolean | undefined
  /** Refuses rows that are not in UTF-8, instead of reading them as windows-1252. */
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
  /** The code of the record; for a refused row only if it is known. */
  readonly code?: string | undefined
  /** The invalid column, if a single one is to blame. */
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
  /** Columns that set no member. */
  readonly dropped: readonly string[]
  /**
   * Number of rows that are not UTF-8 or were converted to it from the wrong encoding. They are read as
   * windows-1252.
   */
  readonly otherEncoding: number
}

export interface ImportedCodes {
  readonly dryRun: boolean
  /** Whether records were loaded. A refused row prevents this unless bad rows are skipped. */
  readonly loaded: boolean
  readonly tables: readonly TableReport[]
  /** Record counts by change. Absent if nothing was loaded. */
  readonly records?: Readonly<Record<Change | 'same', number>>
  /** Number of records whose rows disagree, by column. */
  readonly differing: Readonly<Record<string, number>>
}
