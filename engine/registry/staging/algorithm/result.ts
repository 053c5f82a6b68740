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
  /** Outputs that depend on what failed; only where hints were asked for. */
  readonly outputs?: readonly string[]
}

/** What to do about a case, where it was asked for. */
export interface StagingHints {
  /** Sentences on what was given and is not known. */
  readonly warnings?: readonly string[]
  /** Where site and histology leave several schemas: each with what else has to be given for it. */
  readonly schemas?: readonly SchemaChoice[]
  /** The inputs that decide between them. */
  readonly discriminators?: readonly Discriminator[]
}

/** One way to a schema. */
export interface SchemaChoice {
  readonly schema: string
  readonly name?: string
  /** Cells of its selection table by key: values and ranges between commas, `*` for anything. */
  readonly by: Readonly<Record<string, string>>
}

export interface Discriminator extends ItemName {
  readonly key: string
  /** What it may be, as its table has it. */
  readonly codes?: readonly { readonly code: string; readonly label?: string }[]
}

/** What an input or output is called outside of the algorithm. */
export interface ItemName {
  readonly naaccr_item?: number
  readonly naaccr_xml_id?: string
  readonly name?: string
}

/** Names of what a case gave and was answered, by key. */
export interface ItemNames {
  readonly input: Readonly<Record<string, ItemName>>
  readonly output: Readonly<Record<string, ItemName>>
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
  /** Only where it was asked for. */
  readonly hints?: StagingHints
  /** Only where it was asked for, and of a case that has a schema. */
  readonly naaccr?: ItemNames
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
