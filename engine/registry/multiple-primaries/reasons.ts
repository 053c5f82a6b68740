import type { Missing } from './answer.ts'
import { codedMorphology, parseYear } from './diagnosis.ts'
import type { Tumour } from './tumour.ts'

// Reasons for the registrar, for results to which no rule gives a reason of its own (multiple-primaries.md 2, 3, 6).

/** Names of missing data. A rule lacks the `order` if it is unknown whether both tumors were diagnosed together. */
const WHAT_IS_MISSING: Readonly<Record<Missing, string>> = {
  laterality: 'the laterality of both tumors is needed (1 for right, 2 for left)',
  date: 'the dates of diagnosis are needed more exactly',
  'laterality and date': 'both the laterality and more exact dates of diagnosis are needed',
  site: 'the exact site of both tumors is needed, not an unspecified one',
  order: 'it has to be known whether both were diagnosed at one time',
}

/** Explains which data are missing to decide a rule. */
export function missingReason(missing: Missing, step: string, groupName: string): string {
  return `Rule ${step} of ${groupName} cannot be decided: ${WHAT_IS_MISSING[missing]}.`
}

/**
 * Explains why a tumor is invalid: a value that every set of rules needs is missing or out of range.
 * @param which number of the invalid tumor
 */
export function invalidReason(tumour: Tumour, which: 1 | 2, yearNow: number): string {
  return [
    `No set of rules can be found for tumor ${which}: ${described(tumour, yearNow)}.`,
    'Needed are a site from C000 to C999 other than C809, a histology from 8000 to 9999,',
    `a behavior of 0, 1, 2, 3 or 6 and a year of diagnosis until ${yearNow}.`,
  ].join(' ')
}

/** Explains that a tumor is valid but that no group of rules covers it. */
export function noGroupReason(tumour: Tumour, which: 1 | 2, yearNow: number): string {
  return `No set of rules is for tumor ${which}: ${described(tumour, yearNow)}. A registrar has to judge.`
}

export const IDENTICAL_REASON =
  'No set of rules is for these tumors, but they agree in site, histology, behavior, laterality and date.'

export function differentGroupsReason(first: string, second: string): string {
  return `The tumors are judged by different sets of rules, ${first} and ${second}.`
}

/** Longest text to show. No code is longer. */
const LONGEST = 12

function shown(text: string | undefined, absent: string): string {
  if (text === undefined || text.trim() === '') return absent
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text
}

/** Formats a tumor as "C509, 8500/3 with year of diagnosis 2018". */
function described(tumour: Tumour, yearNow: number): string {
  const year = tumour.date_of_diagnosis_year
  const { histology, behavior } = codedMorphology(tumour, parseYear(year, yearNow))
  const site = shown(tumour.primary_site, 'Unknown Site')
  const codes = `${shown(histology, 'Unknown Histology')}/${shown(behavior, 'Unknown Behavior')}`
  const when = shown(year, '')
  return `${site}, ${codes} ${when === '' ? 'with unknown year of diagnosis' : `with year of diagnosis ${when}`}`
}
