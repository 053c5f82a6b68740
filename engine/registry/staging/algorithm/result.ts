import type { SchemaInput } from './model.ts'

// Inputs and results of the engine (registry.md 3) as JSON. Empty members are left out.

/** Texts by key, as posted. A null counts as absent, except in some rules. */
export type InputMap = Readonly<Record<string, string | null>>

export type StagingResult =
  | 'STAGED'
  | 'FAILED_MISSING_SITE_OR_HISTOLOGY'
  | 'FAILED_NO_MATCHING_SCHEMA'
  /** Spelled as in the published API. */
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
  /** The affected outputs; only if hints were requested. */
  readonly outputs?: readonly string[]
}

/** Advice on a case; only on request. */
export interface StagingHints {
  /** Sentences about unknown inputs. */
  readonly warnings?: readonly string[]
  /** The possible schemas, each with the additional inputs that select it. */
  readonly schemas?: readonly SchemaChoice[]
  /** The inputs that decide between the schemas. */
  readonly discriminators?: readonly Discriminator[]
}

/** A schema that is possible, with the inputs that select it. */
export interface SchemaChoice {
  readonly schema: string
  readonly name?: string
  /** Cells of its selection table by key: values and ranges separated by commas, or `*` for anything. */
  readonly by: Readonly<Record<string, string>>
}

export interface Discriminator extends ItemName {
  readonly key: string
  /** Possible values, as listed in its table. */
  readonly codes?: readonly { readonly code: string; readonly label?: string }[]
}

/** The names of an input or output outside the algorithm. */
export interface ItemName {
  readonly naaccr_item?: number
  readonly naaccr_xml_id?: string
  readonly name?: string
}

/** Names of the inputs and outputs of a case, keyed by key. */
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
  /** Table visits. Present only on request. */
  readonly explain?: readonly Visit[]
  /** Advice. Present only on request. */
  readonly hints?: StagingHints
  /** Names of items. Present only on request, for a case that has a schema. */
  readonly naaccr?: ItemNames
}

/** Why a table was visited. */
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

/** A table visit, with its inputs and the matching row. */
export interface Visit {
  readonly table: string
  readonly purpose: VisitPurpose
  readonly mapping?: string
  /** The input or output that was validated. */
  readonly key?: string
  /** 0-based; absent if no row matched. */
  readonly row?: number
  /** Values of the table's INPUT columns, with the matching cells of the row. */
  readonly inputs: readonly {
    readonly key: string
    readonly value: string
    readonly cell?: string
  }[]
  /** ENDPOINT cells of the row. */
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
  /** Row index, 0-based. */
  readonly row?: number
}
