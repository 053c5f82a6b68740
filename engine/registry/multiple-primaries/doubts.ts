import { dateOf } from './diagnosis.ts'
import type { Tumour, TumourPair } from './tumour.ts'

/** Describes questionable dates of both tumors of a pair. */
export function doubtsOfPair({ input1, input2 }: TumourPair, yearNow: number): readonly string[] {
  return [...doubtsOf(input1, 'input1', yearNow), ...doubtsOf(input2, 'input2', yearNow)]
}

/**
 * Describes parts of a tumor's date that the sender may have meant differently from how they are read. The tumor
 * is not rejected, because SEER's published program accepts such dates and reads them in the same way
 * (multiple-primaries.md 2).
 * @param name of the tumor, such as `input1`
 * @param yearNow a later year of diagnosis is invalid; that is no doubt, and reported elsewhere
 */
export function doubtsOf(tumour: Tumour, name: string, yearNow: number): readonly string[] {
  // A year of -1 is invalid. A month or day of 0 is unknown.
  const { year, month, day } = dateOf(tumour, yearNow)
  const doubts: string[] = []
  if (year >= 0 && tumour.date_of_diagnosis_year?.length !== 4) {
    doubts.push(`${name}.date_of_diagnosis_year does not have four digits, and is used as it is`)
  }
  if (month === 0 && !isUnknown(tumour.date_of_diagnosis_month)) {
    doubts.push(`${name}.date_of_diagnosis_month is not from 1 to 12, and counts as unknown`)
  } else if (month > 0 && day === 0 && !isUnknown(tumour.date_of_diagnosis_day)) {
    doubts.push(`${name}.date_of_diagnosis_day is no day of its month, and counts as unknown`)
  }
  return doubts
}

/** Returns whether a text means that a month or day is unknown. */
const isUnknown = (text = '') => text === '' || text === '99'
