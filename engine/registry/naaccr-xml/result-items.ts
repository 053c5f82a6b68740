import type { AppliedStaging, TumorAnswer } from './answers.ts'
import type { ChosenRecode } from './tumor-recodes.ts'

/** Answers of recodes for which the standard has an item. */
const RECODED: readonly (readonly [item: string, recode: string, output: string])[] = [
  ['derivedSummaryGrade2018', 'summary-grade', 'grade'],
]

/** Values that a tumor came to, by names of items; some are of no item of the standard. */
export type ResultItems = readonly (readonly [item: string, value: string])[]

/** What is written into a tumor. */
export interface WrittenTumor {
  readonly items: ResultItems
  /** Places of the versions that had a say, whose values of another run are removed. */
  readonly by: readonly number[]
}

/** @param stagings that are of the tumor */
export function resultItems(
  { recodes }: TumorAnswer,
  stagings: readonly AppliedStaging[],
): ResultItems {
  const recoded = RECODED.flatMap(([item, recode, name]) => {
    const value = recodes?.[recode]?.[name]
    return value === undefined ? [] : [[item, value] as const]
  })
  const outputs = stagings.flatMap(({ staged }) => Object.entries(staged.output))
  const values = new Map([...outputs, ...recoded])
  return [...values].filter(([, value]) => value !== '')
}

/** Items that answers of the recodes go into, beside the outputs of staging. */
export const recodedInto = (recodes: readonly ChosenRecode[]): readonly string[] =>
  RECODED.filter(([, id]) => recodes.some(({ recode }) => recode === id)).map(([item]) => item)
