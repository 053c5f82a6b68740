/** Non-empty values, keyed by item id. */
export type Items = ReadonlyMap<string, string>

export interface Tumor {
  /** 1-based line number in the file. */
  readonly line: number
  readonly items: Items
}

export interface Patient {
  readonly line: number
  readonly items: Items
  readonly tumors: readonly Tumor[]
  /** Faults of single items of the patient and its tumors. */
  readonly faults: readonly ItemFault[]
  /** Present if texts are kept. */
  readonly source?: PatientSource
}

/** The source text of a patient. Positions in it are 0-based and half-open. */
export interface PatientSource {
  /** The text from the end of the previous patient to the end of this one. */
  readonly text: string
  readonly patient: ElementPlace
  readonly tumors: readonly ElementPlace[]
}

/** Position of a patient or a tumor. */
export interface ElementPlace {
  /** End of its start tag. */
  readonly start: number
  /** Whether the start tag is also its end tag. */
  readonly isSelfClosed: boolean
  /** Replaceable items, all of which come before the tumors. */
  readonly items: readonly { readonly id: string; readonly start: number; readonly end: number }[]
}

/** Attributes of the root element. */
export interface FileHead {
  readonly baseDictionaryUri: string
  readonly userDictionaryUris: readonly string[]
  readonly recordType: RecordType
  readonly specificationVersion: string | undefined
  /** The value as written in the file. */
  readonly timeGenerated: string | undefined
}

/** Full case abstract, modified record, confidential, incidence. */
export const RECORD_TYPES = Object.freeze(['A', 'M', 'C', 'I'] as const)
export type RecordType = (typeof RECORD_TYPES)[number]

/** A fault of one item, while the rest of the file is usable. It never contains the value. */
export interface ItemFault {
  readonly code: ItemFaultCode
  /** The id as written in the file, which may be any text for an unknown item. */
  readonly item: string
  readonly line: number
  /** `/NaaccrData/Patient[3]/Tumor[1]/Item[12]` */
  readonly path: string
  readonly message: string
}

export type ItemFaultCode =
  | 'unknown_item'
  | 'wrong_number'
  /** The item is in a tumor, a patient or the root, but its dictionary assigns it to another of these. */
  | 'wrong_level'
  /** The item comes after the tumors of a patient or the patients of a file. */
  | 'wrong_order'
  | 'doubled_item'
  | 'wrong_attribute'
  /** The value has bytes that are not UTF-8, or characters that XML forbids. */
  | 'unreadable'
  | 'too_long'
  | 'too_short'
  | 'wrong_type'
  /** Only for lines of fixed columns. */
  | 'wrong_length'
