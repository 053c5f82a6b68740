import { type Reader, readMembers, readText } from '../../shared/input/json-members.ts'

/** A tumor as a client describes it (multiple-primaries.md 1). All members are optional. */
export interface Tumour {
  readonly primary_site?: string
  readonly histology_icd_o3?: string
  readonly histology_icd_o2?: string
  readonly behavior_icd_o3?: string
  readonly behavior_icd_o2?: string
  readonly laterality?: string
  readonly date_of_diagnosis_year?: string
  readonly date_of_diagnosis_month?: string
  readonly date_of_diagnosis_day?: string
}

export interface TumourPair {
  readonly input1: Tumour
  readonly input2: Tumour
}

/**
 * Reads a tumor from JSON. Unknown members are dropped, and null counts as absent. Values are not validated
 * here: an invalid site gives the result INVALID_INPUT.
 * @throws EngineError `bad_input`, naming the member, if it is not an object or a member is not a text
 */
export const parseTumour: Reader<Tumour> = readMembers<Tumour>(
  {},
  {
    primary_site: readText,
    histology_icd_o3: readText,
    histology_icd_o2: readText,
    behavior_icd_o3: readText,
    behavior_icd_o2: readText,
    laterality: readText,
    date_of_diagnosis_year: readText,
    date_of_diagnosis_month: readText,
    date_of_diagnosis_day: readText,
  },
)

const readPair = readMembers<TumourPair>({ input1: parseTumour, input2: parseTumour }, {})

/**
 * Reads the two tumors of a request body.
 * @throws EngineError `bad_input`, naming the member, for a tumor that is missing or not an object, or for a
 * member that is neither a text nor null
 */
export function parsePair(body: unknown): TumourPair {
  return readPair(body, '')
}
