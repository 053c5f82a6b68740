import type { PatientResult } from '../multiple-primaries/patient.ts'
import type { RecodeAnswers } from './file-recodes.ts'
import type { ItemFault } from './model.ts'
import type { StagedTumor } from './stage-tumor.ts'

/** What is answered of a patient. */
export interface PatientAnswer {
  /** Of the file. */
  readonly line: number
  readonly patientIdNumber?: string
  readonly tumors: readonly TumorAnswer[]
  /**
   * Which tumors are one primary, where there are 2 to 100; they are named by their place in `tumours`, which
   * has theirs in `tumors`, from 0.
   */
  readonly primaries?: Pick<PatientResult, 'groups' | 'conflicts' | 'questionable' | 'tumours'>
  /** What was asked of the patient, by the ids of recodes. */
  readonly recodes?: RecodeAnswers
  readonly faults?: readonly ItemFault[]
}

/** What one of the versions said of a tumor. */
export interface AppliedStaging {
  /** Among the versions of the run. */
  readonly place: number
  readonly staged: StagedTumor
}

/** By which version a tumor was staged, where versions are chosen for each. */
export interface StagedByVersion extends StagedTumor {
  readonly algorithm?: string
  readonly version?: string
}

export interface TumorAnswer extends StagedByVersion {
  readonly line: number
  readonly tumorRecordNumber?: string
  /** Results of other algorithms that are for the tumor, too. */
  readonly further?: readonly StagedByVersion[]
  /** What was asked of the tumor beside its stage, by the ids of recodes. */
  readonly recodes?: RecodeAnswers
}
