import type { FieldType } from '../datasets/define.ts'
import type { Measure } from './unit-doubts.ts'

/** The lowest and highest possible number of a field. */
export interface NumberRange {
  readonly min: number
  readonly max: number
  /** Kind of number, if such numbers are often given in another unit. */
  readonly measure?: Measure
}

/** More years than anybody has lived. */
const MAX_YEARS = 150
/** More days than anybody has lived. */
const MAX_DAYS = 55_000
const YEARS: NumberRange = { min: 1850, max: 2150 }
const ANY: NumberRange = { min: -Infinity, max: Infinity }
const NOT_BELOW_ZERO: NumberRange = { min: 0, max: Infinity }

/** Ranges of numeric fields by name. The first match counts. All others must not be below zero. */
const RANGES: readonly (readonly [RegExp, NumberRange])[] = [
  [/^days_to_birth$/, { min: -MAX_DAYS, max: 0, measure: 'age' }],
  [
    /^days_to_(death|last_follow_up|last_known_disease_status)$/,
    { min: -MAX_DAYS, max: MAX_DAYS, measure: 'time' },
  ],
  [/^days_to_/, { min: -MAX_DAYS, max: MAX_DAYS }],
  [
    /^(relationship_age_at_diagnosis|age_at_(index|last_exposure|onset))$/,
    { min: 0, max: MAX_YEARS },
  ],
  [/(^|_)age_at_/, { min: 0, max: MAX_DAYS, measure: 'age' }],
  [/^year_of_|_year$/, YEARS],
  [/_ref_|_pre_bronch_|_post_bronch_/, NOT_BELOW_ZERO],
  [/(^|_)percent(_|$)/, { min: 0, max: 100 }],
  // Strands, phases of exons and measurements on any scale.
  [/strand$|_phase$|^test_value|_normal_range_|^contamination|^revision$/, ANY],
]

/** Returns the possible numbers of a numeric field. */
export const rangeOf = (field: string): NumberRange =>
  RANGES.find(([names]) => names.test(field))?.[1] ?? NOT_BELOW_ZERO

/** Fields of type `long` for which the data dictionary also permits fractions. */
const NOT_WHOLE: ReadonlySet<string> = new Set([
  ...['copy_number', 'mitotic_count', 'ldh_level_at_diagnosis', 'ldh_normal_range_upper'],
])

/** Returns whether a field has whole numbers alone. */
export const hasWholeNumbers = (field: string, type: FieldType | undefined): boolean =>
  type === 'long' && !NOT_WHOLE.has(field)
