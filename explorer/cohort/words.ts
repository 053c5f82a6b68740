import { type Condition, type Filter, isDate } from '../filter/filter.ts'
import { sizeText } from '../parts/size.ts'
import { shownValue } from './sets.ts'

/** Names of fields whose last part alone would be unclear. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  'project.project_id': 'Project',
  'demographic.gender': 'Gender',
  'diagnoses.age_at_diagnosis': 'Age at diagnosis',
  'genes.symbol': 'Changed gene',
  'ssms.consequence.transcript.gene.symbol': 'Mutated gene',
  'diagnoses.ajcc_pathologic_stage': 'AJCC stage',
  'files.data_type': 'Data type of files',
  'files.msi_status': 'MSI status',
  'files.msi_score': 'MSI score',
  'files.experimental_strategy': 'Experimental strategy',
}

/** Returns the display name of a field: `diagnoses.ajcc_pathologic_stage` becomes `Ajcc pathologic stage`. */
export function fieldName(field: string): string {
  const plain = field.replace(/^cases\./, '')
  const words = (plain.split('.').at(-1) ?? plain).replaceAll('_', ' ')
  return FIELD_NAMES[plain] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** Returns whether a field has days that are shown as years. */
export const inYears = (field: string) => /age_at_|\.age_/.test(field)

/** Returns whether an age is in days. These others are in years already (fields of the clinical data model). */
export const isInDays = (field: string) =>
  !/\.?(age_at_index|age_at_last_exposure|age_at_onset|relationship_age_at_diagnosis)$/.test(field)

const COMPACT_FROM = 100_000
const COMPACT = { notation: 'compact', maximumFractionDigits: 1 } as const

export const DAYS_PER_YEAR = 365.25

/** Formats a number of a field: ages in years, large numbers as 1.2M, calendar years unchanged. */
export function shownNumber(field: string, value: number): string {
  if (isDate(field)) return String(value)
  if (/(^|\.)file_size$/.test(field)) return sizeText(value)
  if (Math.abs(value) >= COMPACT_FROM) return value.toLocaleString('en', COMPACT)
  const shown = inYears(field) && isInDays(field) ? value / DAYS_PER_YEAR : value
  return shown.toLocaleString('en', { maximumFractionDigits: inYears(field) ? 1 : 2 })
}

/** Formats a condition: `Gender: female or male`, `Age at diagnosis: 40 to 50 years`. */
export function conditionText(condition: Condition): string {
  const { field } = condition
  if ('values' in condition) {
    return `${fieldName(field)}: ${condition.values.map(shownValue).join(' or ')}`
  }
  const { from, to } = condition
  const unit = inYears(field) ? ' years' : ''
  const [low, high] = [from, to].map((end) => end !== undefined && shownNumber(field, end))
  if (low && low === high) return `${fieldName(field)}: ${low}${unit}`
  if (low && high) return `${fieldName(field)}: ${low} to ${high}${unit}`
  return `${fieldName(field)}: ${low ? `from ${low}` : `to ${high}`}${unit}`
}

/** Words for the ends of ranges that no card can show. */
const ENDS: Readonly<Record<string, string>> = { '<': 'below', '>': 'above' }

/** Formats a filter that no card can show: exclusions and open ends in words, all others as JSON. */
export function otherText(filter: Filter): string {
  const end = ENDS[filter.op]
  if (!Array.isArray(filter.content) && end !== undefined) {
    const { field, value } = filter.content as { readonly field: string; readonly value?: unknown }
    if (typeof value === 'number') {
      return `${fieldName(field)}: ${end} ${shownNumber(field, value)}${inYears(field) ? ' years' : ''}`
    }
  }
  if (!Array.isArray(filter.content) && /^(excludeifany|exclude|!=)$/.test(filter.op)) {
    const { field, value } = filter.content as { readonly field: string; readonly value?: unknown }
    const values = [value].flat().map((one) => shownValue(String(one)))
    return `Not ${fieldName(field).toLowerCase()}: ${values.join(' or ')}`
  }
  return JSON.stringify(filter)
}
