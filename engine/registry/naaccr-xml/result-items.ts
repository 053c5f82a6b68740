import type { AppliedStaging } from './answers.ts'
import type { ChosenRecode, RecodeAnswers } from './file-recodes.ts'

/** An item that stores the output of a recode. */
interface RecodedItem {
  readonly item: string
  readonly recode: string
  readonly output: string
  /** The number of digits to which a number is padded. */
  readonly digits?: number
}

const survival = (item: string, output: string, digits?: number): RecodedItem => ({
  item,
  recode: 'survival-time',
  output,
  ...(digits !== undefined && { digits }),
})

/** Recode outputs that are stored in patient items. */
const OF_PATIENTS: readonly RecodedItem[] = [survival('vitalStatusRecode', 'vital_status_recode')]

/** Recode outputs that are stored in tumor items. Survival in days has items only in user dictionaries. */
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

/** Result values by item id; some are not items of the standard. */
export type ResultItems = readonly (readonly [item: string, value: string])[]

/** Values to write into a patient. */
export interface WrittenPatient {
  readonly items: ResultItems
  readonly tumors: readonly WrittenTumor[]
}

/** Values to write into a tumor. */
export interface WrittenTumor {
  readonly items: ResultItems
  /** Indexes of the versions that apply, whose values from earlier runs are removed. */
  readonly by: readonly number[]
}

export const patientItems = (recodes: RecodeAnswers): ResultItems =>
  recodedIn(OF_PATIENTS, [recodes])

/**
 * Collects the values to write into a tumor.
 * @param recodes of the tumor and of its patient
 * @param stagings that apply to the tumor
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

/** Returns the items that store outputs of the recodes, besides those of staging. */
export const recodedInto = (recodes: readonly ChosenRecode[]): readonly string[] =>
  [...OF_PATIENTS, ...OF_TUMORS]
    .filter(({ recode: id }) => recodes.some(({ recode }) => recode === id))
    .map(({ item }) => item)
