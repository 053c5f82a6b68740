/** Inputs or outputs of a recode by name. Members without a value are left out. */
export type Texts = Readonly<Record<string, string | undefined>>

/** A version of a recode. */
export interface RecodeVersion {
  readonly id: string
  readonly name: string
  /** Creates the function that recodes. A table is compiled once. */
  readonly make: () => (input: Texts) => Texts
}

/** Recodes a tumor or a death. To add a recode, add it to RECODES. */
export interface Recode {
  readonly id: string
  readonly name: string
  /** Inputs by name, with descriptions. */
  readonly inputs: Readonly<Record<string, string>>
  /** Required inputs. Missing ones are reported in this order. */
  readonly required: readonly string[]
  /** Outputs by name, with descriptions. Inputs are returned, too. */
  readonly outputs: Readonly<Record<string, string>>
  /** The first version is the default. */
  readonly versions: readonly [RecodeVersion, ...RecodeVersion[]]
}

/** A recode of a case to a group of sites and histologies. */
export interface SiteGroup extends Recode {
  /** Inputs that the list of algorithms shows as needed. */
  readonly needed: readonly string[]
}

/** The outputs of a patient and of its tumors, in input order. */
export interface PatientTexts {
  readonly patient: Texts
  readonly tumors: readonly Texts[]
}

/** A version of a patient recode. */
export interface PatientVersion {
  readonly id: string
  readonly name: string
  /**
   * Recodes a patient.
   * @param today current date such as `20240229`, to detect dates in the future
   */
  readonly answer: (patient: Texts, tumors: readonly Texts[], today: string) => PatientTexts
}

/** A recode of all tumors of a patient together. Add new ones to PATIENT_RECODES. */
export interface PatientRecode {
  readonly id: string
  readonly name: string
  /** Inputs of the patient by name, with descriptions. */
  readonly inputs: Readonly<Record<string, string>>
  /** Required inputs. */
  readonly required: readonly string[]
  readonly tumorInputs: Readonly<Record<string, string>>
  /** Outputs by name. Inputs are returned, too. */
  readonly outputs: Readonly<Record<string, string>>
  readonly tumorOutputs: Readonly<Record<string, string>>
  readonly versions: readonly [PatientVersion, ...PatientVersion[]]
}

export const SITE = 'Primary site by ICD-O-3, such as C509'
export const HIST = 'Histology by ICD-O-3, such as 8500'
export const BEHAVIOR = 'Behavior by ICD-O-3: 0, 1, 2 or 3'
export const YEAR = 'Year of diagnosis'
