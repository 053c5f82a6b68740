import type { PatientResult } from '../multiple-primaries/patient.ts'
import type { RecodeAnswers } from './file-recodes.ts'
import type { ItemFault } from './model.ts'
import type { StagedTumor } from './stage-tumor.ts'

/** The answer for a patient. */
export interface PatientAnswer {
  /** Line number in the file. */
  readonly line: number
  readonly patientIdNumber?: string
  readonly tumors: readonly TumorAnswer[]
  /**
   * Which tumors are one primary, for 2 to 100 tumors. They are identified by their index in `tumours`, whose
   * entries refer to 0-based indexes in `tumors`.
   */
  readonly primaries?: Pick<PatientResult, 'groups' | 'conflicts' | 'questionable' | 'tumours'>
  /** Results of patient recodes, keyed by recode id. */
  readonly recodes?: RecodeAnswers
  readonly faults?: readonly ItemFault[]
}

/** The result of one version for a tumor. */
export interface AppliedStaging {
  /** Index of the version in the run. */
  readonly place: number
  readonly staged: StagedTumor
}

/** A staged tumor with the version that staged it, if versions are selected per tumor. */
export interface StagedByVersion extends StagedTumor {
  readonly algorithm?: string
  readonly version?: string
}

export interface TumorAnswer extends StagedByVersion {
  readonly line: number
  readonly tumorRecordNumber?: string
  /** Results of other algorithms that also apply to the tumor. */
  readonly further?: readonly StagedByVersion[]
  /** Values of requested items of the file, keyed by item id. */
  readonly items?: Readonly<Record<string, string>>
  /** Results of tumor recodes, keyed by recode id. */
  readonly recodes?: RecodeAnswers
}
