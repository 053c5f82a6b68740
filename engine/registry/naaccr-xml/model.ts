/** Values of items by their ids; no empty ones. */
export type Items = ReadonlyMap<string, string>

export interface Tumor {
  /** In the file, from 1. */
  readonly line: number
  readonly items: Items
}

export interface Patient {
  readonly line: number
  readonly items: Items
  readonly tumors: readonly Tumor[]
  /** What is wrong with single items of it and of its tumors. */
  readonly faults: readonly ItemFault[]
  /** Where texts are kept. */
  readonly source?: PatientSource
}

/** A patient as it is written. Places are in its text, from 0, half-open. */
export interface PatientSource {
  /** From the end of the patient before it to its own. */
  readonly text: string
  readonly patient: ElementPlace
  readonly tumors: readonly ElementPlace[]
}

/** Of a patient or a tumor. */
export interface ElementPlace {
  /** Where its first tag ends. */
  readonly start: number
  /** Whether that is its last, too. */
  readonly isSelfClosed: boolean
  /** Items that may be replaced, none of which stands behind a tumor. */
  readonly items: readonly { readonly id: string; readonly start: number; readonly end: number }[]
}

/** What the root element of a file says. */
export interface FileHead {
  readonly baseDictionaryUri: string
  readonly userDictionaryUris: readonly string[]
  readonly recordType: RecordType
  readonly specificationVersion: string | undefined
  /** As the file has it. */
  readonly timeGenerated: string | undefined
}

/** Full case abstract, modified record, confidential, incidence. */
export const RECORD_TYPES = Object.freeze(['A', 'M', 'C', 'I'] as const)
export type RecordType = (typeof RECORD_TYPES)[number]

/** Of one item; the rest of the file can be used. It never has the item's value. */
export interface ItemFault {
  readonly code: ItemFaultCode
  /** As the file has it; of an unknown item, whatever it was called. */
  readonly item: string
  readonly line: number
  /** `/NaaccrData/Patient[3]/Tumor[1]/Item[12]` */
  readonly path: string
  readonly message: string
}

export type ItemFaultCode =
  | 'unknown_item'
  | 'wrong_number'
  /** In a tumor, a patient or the root, where its dictionary has it in another of these. */
  | 'wrong_level'
  /** Behind the tumors of a patient, or the patients of a file. */
  | 'wrong_order'
  | 'doubled_item'
  | 'wrong_attribute'
  | 'too_long'
  | 'too_short'
  | 'wrong_type'
  /** Of a line of fixed columns. */
  | 'wrong_length'
