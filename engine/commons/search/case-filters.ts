import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'

/** Whether a filter on cases can be asked of the dataset. */
export function takesCaseFilters(dataset: DatasetName): boolean {
  return DATASETS[dataset].caseAt !== undefined
}

/** A field of cases, by the name that a filter on cases gives it, as the dataset names it. */
export function caseFieldOn(dataset: DatasetName, name: string): string {
  return (DATASETS[dataset].caseAt ?? '') + name.replace(/^cases?\./, '')
}
