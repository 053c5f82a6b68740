/** By name, what a recode looks at, or answers; what has no value is left out. */
export type Texts = Readonly<Record<string, string | undefined>>

/** One way in which a recode answers. */
export interface RecodeVersion {
  readonly id: string
  readonly name: string
  /** Makes what answers: where there is a table, it is taken apart once. */
  readonly make: () => (input: Texts) => Texts
}

/** Codes of a tumour or of a death as another code. A new one is an entry of RECODES. */
export interface Recode {
  readonly id: string
  readonly name: string
  /** What it looks at, by name, with what that is. */
  readonly inputs: Readonly<Record<string, string>>
  /** Inputs that must not be missing, in the order in which they are asked for. */
  readonly required: readonly string[]
  /** What it answers beside the inputs, by name, with what that is. */
  readonly outputs: Readonly<Record<string, string>>
  /** The first is taken where none is named. */
  readonly versions: readonly [RecodeVersion, ...RecodeVersion[]]
}

/** A recode of a case to one group of sites and histologies. */
export interface SiteGroup extends Recode {
  /** What the list of algorithms names as needed. */
  readonly needed: readonly string[]
}

/** What is answered of a patient, and of each tumour in the order in which they were given. */
export interface PatientTexts {
  readonly patient: Texts
  readonly tumors: readonly Texts[]
}

/** One way in which a recode of patients answers. */
export interface PatientVersion {
  readonly id: string
  readonly name: string
  /** @param today `20240229`, for what may lie in the future */
  readonly answer: (patient: Texts, tumors: readonly Texts[], today: string) => PatientTexts
}

/** A recode that looks at all tumours of a patient together. A new one is an entry of PATIENT_RECODES. */
export interface PatientRecode {
  readonly id: string
  readonly name: string
  /** What it looks at of the patient, by name, with what that is. */
  readonly inputs: Readonly<Record<string, string>>
  /** Those that must not be missing. */
  readonly required: readonly string[]
  readonly tumorInputs: Readonly<Record<string, string>>
  /** What it answers beside the inputs. */
  readonly outputs: Readonly<Record<string, string>>
  readonly tumorOutputs: Readonly<Record<string, string>>
  readonly versions: readonly [PatientVersion, ...PatientVersion[]]
}

export const SITE = 'Primary site by ICD-O-3, such as C509'
export const HIST = 'Histology by ICD-O-3, such as 8500'
export const BEHAVIOR = 'Behavior by ICD-O-3: 0, 1, 2 or 3'
export const YEAR = 'Year of diagnosis'
