import type { DatasetName } from '../datasets/define.ts'

/** Where a dataset's records hold the case that a cohort filter speaks of (contract 2.1). */
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

/**
 * A filter written for cases, with its fields named as the dataset names them. Anything that is no
 * filter comes back as it is, for the parser to refuse.
 */
export function caseFilterOn(dataset: DatasetName, filter: unknown): unknown {
  const at = CASE_AT[dataset] ?? ''
  const rename = (name: string) => at + name.replace(/^cases?\./, '')
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        if (key === 'field' && typeof member === 'string') return [key, rename(member)]
        return [key, key === 'content' ? walk(member) : member]
      }),
    )
  }
  return walk(typeof filter === 'string' ? parsed(filter) : filter)
}

/** JSON text as a value; text that is none stays as it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
