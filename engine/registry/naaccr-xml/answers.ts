import type { PatientResult } from '../multiple-primaries/patient.ts'
import type { ItemFault } from './model.ts'
import type { StagedTumor } from './stage-tumor.ts'
import type { TumorRecodes } from './tumor-recodes.ts'

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
  readonly faults?: readonly ItemFault[]
}

export interface TumorAnswer extends StagedTumor {
  readonly line: number
  readonly tumorRecordNumber?: string
  /** What was asked of the tumor beside its stage, by the ids of recodes. */
  readonly recodes?: TumorRecodes
}
