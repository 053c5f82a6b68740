/** How tables of codes are imported, and what becomes of their rows and of the records. */
export interface CodeImport {
  /** What the history calls who imports. */
  readonly user: string
  /** Finds out what would become of all, and changes nothing. */
  readonly dryRun?: boolean | undefined
  /** Loads the other rows where some are refused; without it nothing is loaded then. */
  readonly skipBad?: boolean | undefined
  /** The tables do not name all codes of their kind: what they do not name stays. */
  readonly partial?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: CodeImportStep) => void) | undefined
  /** Called for each row but headers, in order. */
  readonly onRow?: ((row: RowFate) => void) | undefined
  /** Called for each record that is not as it was, by ascending codes. */
  readonly onChange?: ((change: CodeChange) => void) | undefined
}

/** How far an import is: in bytes of the files, or in rows. */
export interface CodeImportStep {
  readonly phase: 'reading' | 'storing'
  readonly done: number
  readonly total: number
}

/** What becomes of a row when its table is loaded. */
export interface RowFate {
  /** As it was given. */
  readonly file: string
  /** The header is line 1. */
  readonly line: number
  /** It begins a record, adds to the one that another row began, or is refused. */
  readonly fate: 'load' | 'merge' | 'refuse'
  /** The record; of a refused row only where it is known. */
  readonly code?: string | undefined
  /** The column that is wrong, where it is one. */
  readonly column?: string | undefined
  readonly reason?: string | undefined
}

export const CHANGES = Object.freeze(['added', 'changed', 'removed', 'reappeared'] as const)
export type Change = (typeof CHANGES)[number]

export interface CodeChange {
  readonly code: string
  readonly change: Change
}

/** Rows of one table by what becomes of them; they add up to `rows`. */
export interface TableReport {
  readonly file: string
  readonly layout: string
  readonly rows: number
  readonly loaded: number
  readonly merged: number
  readonly refused: number
  /** Columns that no member is made of. */
  readonly dropped: readonly string[]
  /** Rows that are not UTF-8, or were made so of the wrong encoding: read as windows-1252. */
  readonly otherEncoding: number
}

export interface ImportedCodes {
  readonly dryRun: boolean
  /** Whether it came to loading at all: refused rows keep all others out, unless they are skipped. */
  readonly loaded: boolean
  readonly tables: readonly TableReport[]
  /** Records by what the tables make of them; absent when it did not come to loading. */
  readonly records?: Readonly<Record<Change | 'same', number>>
  /** Columns in which rows of one record say different things, and of how many records. */
  readonly differing: Readonly<Record<string, number>>
}
