import { type Reader, readMembers, readText } from '../../shared/input/json-members.ts'

/** One tumour as a client describes it (multiple-primaries.md 1); every member may be left out. */
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
 * A tumour out of JSON; other members are dropped, null counts as left out. What a member holds is
 * not looked at here: a site that is none makes the comparison answer INVALID_INPUT.
 * @throws EngineError bad_input naming the member, for what is no object or no text
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
 * The two tumours of a request's body.
 * @throws EngineError bad_input naming the member, for a tumour that is missing or no object, and for
 * a member that is neither text nor null
 */
export function parsePair(body: unknown): TumourPair {
  return readPair(body, '')
}
