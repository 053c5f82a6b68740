import type { DatasetName } from '../datasets/define.ts'

/** Where a dataset's records hold the case that a cohort filter speaks of (data-commons.md 2.1). */
const CASE_AT: Readonly<Record<DatasetName, string | undefined>> = {
  projects: undefined,
  cases: '',
  files: 'cases.',
  annotations: undefined,
  genes: undefined,
  ssms: 'occurrence.case.',
  ssm_occurrences: 'case.',
  cnvs: 'occurrence.case.',
  cnv_occurrences: 'case.',
  segment_cnvs: 'occurrence.case.',
  segment_cnv_occurrences: 'case.',
}

/** Whether a filter on cases can be asked of the dataset. */
export function takesCaseFilters(dataset: DatasetName): boolean {
  return CASE_AT[dataset] !== undefined
}

/** A field of cases, by the name that a filter on cases gives it, as the dataset names it. */
export function caseFieldOn(dataset: DatasetName, name: string): string {
  return (CASE_AT[dataset] ?? '') + name.replace(/^cases?\./, '')
}
