// Documentation of the items of registry files, in the form of the API (registry-lookups.md 3).

export interface NaaccrVersion {
  /** Version such as `25`. */
  readonly version: string
  readonly year_implemented: number
  /** Time of the last change of the dictionary. Absent if the dictionary does not state it. */
  readonly date_of_publication?: string
}

export interface NaaccrItemInfo {
  /** The XML id. Absent for a retired item. */
  readonly id?: string
  readonly item: string
  readonly name?: string
}

export interface AllowedCode {
  readonly code: string
  readonly description: string
}

/** Members that are a single text. Those that no published file contains come from a table. */
export const TEXT_MEMBERS = [
  'item_number',
  'item_name',
  'item_data_type',
  'item_length',
  'year_implemented',
  'version_implemented',
  'year_retired',
  'version_retired',
  'xml_naaccr_id',
  'xml_parent_id',
  'section',
  'source_of_standard',
  'date_created',
  'date_modified',
  'description',
  'general_notes',
  'clarification',
  'rationale',
  'npcr_collect',
  'coc_collect',
  'seer_collect',
  'cccr_collect',
  'format',
  'code_note',
  'code_description',
  'allowable_values',
] as const

export type TextMember = (typeof TEXT_MEMBERS)[number]
export type ItemTexts = { readonly [Member in TextMember]?: string }

/** An item. `description` and `rationale` are HTML fragments. */
export interface NaaccrItem extends ItemTexts {
  readonly item_number: string
  readonly record_types?: readonly string[]
  readonly alternate_names?: readonly string[]
  readonly allowed_codes?: readonly AllowedCode[]
}
