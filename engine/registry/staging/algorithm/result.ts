import type { SchemaInput } from './model.ts'

// What the engine takes and answers (registry.md 3): JSON as it is sent, members left out when
// there is nothing to say.

/** Keys to texts, as posted. A null counts as not given, except where a rule says otherwise. */
export type InputMap = Readonly<Record<string, string | null>>

export type StagingResult =
  | 'STAGED'
  | 'FAILED_MISSING_SITE_OR_HISTOLOGY'
  | 'FAILED_NO_MATCHING_SCHEMA'
  /** Spelt as the interface has it. */
  | 'FAILED_MULITPLE_MATCHING_SCHEMAS'
  | 'FAILED_INVALID_YEAR_DX'
  | 'FAILED_INVALID_INPUT'

export type StagingErrorType =
  | 'UNKNOWN_INPUT'
  | 'INVALID_REQUIRED_INPUT'
  | 'INVALID_NON_REQUIRED_INPUT'
  | 'UNKNOWN_INPUT_MAPPING'
  | 'STAGING_ERROR'
  | 'MATCH_NOT_FOUND'
  | 'UNKNOWN_TABLE'
  | 'INFINITE_LOOP'
  | 'INVALID_OUTPUT'

export interface StagingError {
  readonly type: StagingErrorType
  readonly table?: string
  readonly columns?: readonly string[]
  readonly key?: string
  readonly message: string
}

export interface StagingData {
  readonly result: StagingResult
  readonly schema_id?: string
  readonly input: InputMap
  readonly output: Readonly<Record<string, string>>
  readonly errors: readonly StagingError[]
  readonly path: readonly string[]
  /** Only where it was asked for. */
  readonly explain?: readonly Visit[]
}

/** Why a table was looked at. */
export type VisitPurpose =
  | 'selection'
  | 'year'
  | 'input'
  | 'default'
  | 'inclusion'
  | 'exclusion'
  | 'path'
  | 'jump'
  | 'output'

/** One look at a table: what it was asked with, and which row answered. */
export interface Visit {
  readonly table: string
  readonly purpose: VisitPurpose
  readonly mapping?: string
  /** The input or output that was judged. */
  readonly key?: string
  /** 0-based; left out when no row matched. */
  readonly row?: number
  /** The values of the table's INPUT columns, and the cells of the row that hold them. */
  readonly inputs: readonly {
    readonly key: string
    readonly value: string
    readonly cell?: string
  }[]
  /** The row's ENDPOINT cells. */
  readonly endpoints?: readonly { readonly key: string; readonly cell: string }[]
}

export interface SchemaInfo {
  readonly id: string
  readonly name?: string
  readonly title?: string
  readonly schema_num?: number
  readonly discriminators?: readonly SchemaInput[]
  readonly staging_inputs: readonly string[]
  readonly staging_outputs: readonly string[]
}

export interface TableMatch {
  readonly match: boolean
  /** 0-based. */
  readonly row?: number
}
