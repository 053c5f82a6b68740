import { type Filter, prefixed } from '../filter/filter.ts'
import type { Json } from '../service/service.ts'

/** Conditions must be given: this one holds for every case. */
const EVERY_CASE: Filter = {
  op: 'not',
  content: { field: 'cases.case_id', value: 'MISSING' },
}

/** A cohort as analyses take it in their bodies. */
export const caseFilters = (filter: Filter | undefined): Json =>
  JSON.parse(JSON.stringify(prefixed(filter, 'cases') ?? EVERY_CASE))
