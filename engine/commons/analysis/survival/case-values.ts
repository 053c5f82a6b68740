import { cases } from '../../datasets/case.ts'
import type { FieldPath } from '../../datasets/field-path.ts'
import { resolveField } from '../../datasets/resolve.ts'
import { keysOfField } from '../../query/keys.ts'
import { columnKey } from '../../release/layout.ts'
import type { ArrayKey, Column, ReleaseArrays } from '../../release/loaded.ts'
import { eachCode } from '../case-values.ts'
import type { SurvivalEndpoint } from './endpoint.ts'

/** Fields of a case that determine its survival time (data-commons.md 6.8). */
export const DONOR_FIELDS = {
  vitalStatus: 'demographic.vital_status',
  death: 'demographic.days_to_death',
  diagnosis: 'diagnoses.days_to_last_follow_up',
  followUp: 'follow_ups.days_to_follow_up',
  submitterId: 'submitter_id',
  projectId: 'project.project_id',
} as const

/** Fields with the day of a progression or recurrence. */
export const PROGRESSION_DAYS = Object.freeze([
  'diagnoses.days_to_recurrence',
  'follow_ups.days_to_progression',
  'follow_ups.days_to_recurrence',
])
/** Fields that say whether there was one. */
export const PROGRESSION_SAID = Object.freeze([
  'diagnoses.progression_or_recurrence',
  'follow_ups.progression_or_recurrence',
])

function fieldOf(name: string): FieldPath {
  const field = resolveField(cases, name)
  if (!field) throw new TypeError(`cases have no field ${name}`)
  return field
}

/** Returns the keys of the arrays of these fields and of the case id. */
export function donorKeys(endpoint: SurvivalEndpoint): ArrayKey[] {
  const more = endpoint === 'overall' ? [] : [...PROGRESSION_DAYS, ...PROGRESSION_SAID]
  const keys = [...Object.values(DONOR_FIELDS), ...more].map(fieldOf).flatMap(keysOfField)
  return [...new Set([columnKey(cases.name, cases.idField), ...keys])]
}

/** Visits all values of a field in some cases: index of the case in `rows`, code of the value. */
export function eachValue(
  name: string,
  rows: Uint32Array,
  arrays: ReleaseArrays,
  visit: (place: number, code: number, column: Column) => void,
): void {
  eachCode(fieldOf(name), rows, arrays, visit)
}
