// The parts of an algorithm version as in its JSON (registry.md 3): names in snake_case, all members
// read-only, and optional if the JSON may lack them.

export interface Metadata {
  readonly name: string
  /** First and last year in which it applies. */
  readonly start?: number
  readonly end?: number
}

export interface KeyValue {
  readonly key: string
  /** New value. If undefined, the key is set to no value. */
  readonly value?: string
}

/** Renames a key of the context to a key of a table, or the reverse. */
export interface FromTo {
  readonly from: string
  readonly to: string
}

export interface SchemaInput {
  readonly key: string
  readonly name?: string
  readonly description?: string
  readonly naaccr_item?: number
  readonly naaccr_xml_id?: string
  readonly default?: string
  readonly default_table?: string
  readonly table?: string
  readonly used_for_staging?: boolean
  readonly unit?: string
  readonly decimal_places?: number
  readonly metadata?: readonly Metadata[]
}

export interface SchemaOutput {
  readonly key: string
  readonly name?: string
  readonly description?: string
  readonly naaccr_item?: number
  readonly naaccr_xml_id?: string
  readonly table?: string
  readonly default?: string
  readonly metadata?: readonly Metadata[]
}

export interface TablePath {
  readonly id: string
  readonly input_mapping?: readonly FromTo[]
  readonly output_mapping?: readonly FromTo[]
  /** Derived from other members, not stored. */
  readonly inputs?: readonly string[]
  /** Derived from other members, not stored. */
  readonly outputs?: readonly string[]
}

export interface Mapping {
  readonly id?: string
  readonly name?: string
  readonly inclusion_tables?: readonly TablePath[]
  readonly exclusion_tables?: readonly TablePath[]
  readonly initial_context?: readonly KeyValue[]
  readonly tables?: readonly TablePath[]
}

export const ON_INVALID_INPUT = ['CONTINUE', 'FAIL', 'FAIL_WHEN_USED_FOR_STAGING'] as const
export type OnInvalidInput = (typeof ON_INVALID_INPUT)[number]

/** Members common to schemas and tables. */
export interface Entity {
  readonly id: string
  readonly algorithm?: string
  readonly version?: string
  readonly name?: string
  readonly title?: string
  readonly subtitle?: string
  readonly description?: string
  readonly notes?: string
  readonly last_modified?: string
}

export interface StagingSchema extends Entity {
  readonly schema_num?: number
  readonly schema_selection_table: string
  readonly schema_discriminators?: readonly string[]
  readonly initial_context?: readonly KeyValue[]
  readonly inputs: readonly SchemaInput[]
  readonly outputs?: readonly SchemaOutput[]
  readonly mappings?: readonly Mapping[]
  /** Derived from other members, not stored. */
  readonly involved_tables?: readonly string[]
  /** Reaction to an invalid input. By default CONTINUE. */
  readonly on_invalid_input?: OnInvalidInput
}

export const COLUMN_TYPES = ['INPUT', 'DESCRIPTION', 'ENDPOINT'] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

export interface Column {
  /** Key of the column. Optional for a DESCRIPTION. */
  readonly key?: string
  readonly name?: string
  readonly type: ColumnType
  readonly source?: string
}

/** A null cell in an INPUT column matches anything (registry.md rule 4). */
export type Cell = string | null

export interface StagingTable extends Entity {
  readonly rationale?: string
  readonly additional_info?: string
  readonly coding_guidelines?: string
  readonly footnotes?: string
  readonly definition: readonly Column[]
  /** Derived from other members, not stored. */
  readonly extra_input?: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

export interface GlossaryTerm {
  readonly id: string
  readonly name: string
  readonly definition?: string
  readonly alternate_names?: readonly string[]
  readonly category?: readonly string[]
  readonly last_modified?: string
}

/** The complete content of an algorithm version. */
export interface VersionContent {
  readonly algorithm: string
  readonly version: string
  readonly schemas: ReadonlyMap<string, StagingSchema>
  readonly tables: ReadonlyMap<string, StagingTable>
  readonly glossary: ReadonlyMap<string, GlossaryTerm>
}
