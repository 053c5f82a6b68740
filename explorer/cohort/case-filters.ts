import { type Filter, prefixed } from '../filter/filter.ts'
import type { Json } from '../service/service.ts'

/** Matches every case: its id is not missing. Needed because analyses require a filter. */
const EVERY_CASE: Filter = {
  op: 'not',
  content: { field: 'cases.case_id', value: 'MISSING' },
}

/** Converts a cohort's filter to the form that analyses take. */
// The conversion to text and back drops undefined members, as the type Json requires.
export const caseFilters = (filter: Filter | undefined): Json =>
  JSON.parse(JSON.stringify(prefixed(filter, 'cases') ?? EVERY_CASE))
