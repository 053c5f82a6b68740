import type { AppliedStaging } from './answers.ts'
import type { ChosenRecode, RecodeAnswers } from './file-recodes.ts'

/** An item that an answer of a recode goes into. */
interface RecodedItem {
  readonly item: string
  readonly recode: string
  readonly output: string
  /** Of numbers that are shorter than their item. */
  readonly digits?: number
}

const survival = (item: string, output: string, digits?: number): RecodedItem => ({
  ...{ item, recode: 'survival-time', output },
  ...(digits !== undefined && { digits }),
})

/** Answers of recodes for which there is an item of patients. */
const OF_PATIENTS: readonly RecodedItem[] = [survival('vitalStatusRecode', 'vital_status_recode')]

/** The same of tumors; the survival in days is of items that only a registry's own dictionary has. */
const OF_TUMORS: readonly RecodedItem[] = [
  { item: 'derivedSummaryGrade2018', recode: 'summary-grade', output: 'grade' },
  { item: 'seerCauseSpecificCod', recode: 'cause-of-death', output: 'cause_specific' },
  { item: 'seerOtherCod', recode: 'cause-of-death', output: 'cause_other' },
  survival('recordNumberRecode', 'record_number', 2),
  survival('survDateActiveFollowup', 'date_of_last_contact_recode'),
  survival('survFlagActiveFollowup', 'flag'),
  survival('survMosActiveFollowup', 'months'),
  survival('survDaysActiveFollowup', 'days'),
  survival('survDatePresumedAlive', 'date_presumed_alive'),
  survival('survFlagPresumedAlive', 'flag_presumed_alive'),
  survival('survMosPresumedAlive', 'months_presumed_alive'),
  survival('survDaysPresumedAlive', 'days_presumed_alive'),
  survival('survDateDxRecode', 'date_of_diagnosis_recode'),
]

/** Values that a tumor or a patient came to, by names of items; some are of no item of the standard. */
export type ResultItems = readonly (readonly [item: string, value: string])[]

/** What is written into a patient. */
export interface WrittenPatient {
  readonly items: ResultItems
  readonly tumors: readonly WrittenTumor[]
}

/** What is written into a tumor. */
export interface WrittenTumor {
  readonly items: ResultItems
  /** Places of the versions that had a say, whose values of another run are removed. */
  readonly by: readonly number[]
}

export const patientItems = (recodes: RecodeAnswers): ResultItems =>
  recodedIn(OF_PATIENTS, [recodes])

/**
 * @param recodes of the tumor, and of its patient
 * @param stagings that are of the tumor
 */
export function tumorItems(
  recodes: readonly RecodeAnswers[],
  stagings: readonly AppliedStaging[],
): ResultItems {
  const outputs = stagings.flatMap(({ staged }) => Object.entries(staged.output))
  const values = new Map([...outputs, ...recodedIn(OF_TUMORS, recodes)])
  return [...values].filter(([, value]) => value !== '')
}

function recodedIn(items: readonly RecodedItem[], recodes: readonly RecodeAnswers[]): ResultItems {
  return items.flatMap(({ item, recode, output, digits = 0 }) => {
    const values = recodes.flatMap((answers) => answers[recode]?.[output] ?? [])
    return values.slice(0, 1).map((value) => [item, value.padStart(digits, '0')] as const)
  })
}

/** Items that answers of the recodes go into, beside the outputs of staging. */
export const recodedInto = (recodes: readonly ChosenRecode[]): readonly string[] =>
  [...OF_PATIENTS, ...OF_TUMORS]
    .filter(({ recode: id }) => recodes.some(({ recode }) => recode === id))
    .map(({ item }) => item)
