import type { TumorAnswer } from './answers.ts'
import type { ChosenRecode } from './tumor-recodes.ts'

/** Answers of recodes for which the standard has an item. */
const RECODED: readonly (readonly [item: string, recode: string, output: string])[] = [
  ['derivedSummaryGrade2018', 'summary-grade', 'grade'],
]

/** Values that a tumor came to, by names of items; some are of no item of the standard. */
export type ResultItems = readonly (readonly [item: string, value: string])[]

export function resultItems({ output, recodes }: TumorAnswer): ResultItems {
  const recoded = RECODED.flatMap(([item, recode, name]) => {
    const value = recodes?.[recode]?.[name]
    return value === undefined ? [] : [[item, value] as const]
  })
  const values = new Map([...Object.entries(output), ...recoded])
  return [...values].filter(([, value]) => value !== '')
}

/** Items that answers of the recodes go into, beside the outputs of staging. */
export const recodedInto = (recodes: readonly ChosenRecode[]): readonly string[] =>
  RECODED.filter(([, id]) => recodes.some(({ recode }) => recode === id)).map(([item]) => item)
