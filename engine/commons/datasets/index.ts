import { annotations } from './annotation.ts'
import { cases } from './case.ts'
import { cnvs } from './cnv.ts'
import { cnvOccurrences } from './cnv-occurrence.ts'
import type { Dataset, DatasetName } from './define.ts'
import { files } from './file.ts'
import { genes } from './gene.ts'
import { projects } from './project.ts'
import { segmentCnvs } from './segment-cnv.ts'
import { segmentCnvOccurrences } from './segment-cnv-occurrence.ts'
import { ssms } from './ssm.ts'
import { ssmOccurrences } from './ssm-occurrence.ts'

/**
 * All searchable datasets (data-commons.md 4). If a record has the ids of two datasets that do not link to each
 * other, it belongs to the dataset that is listed first (import/dataset-of-record.ts).
 */
export const DATASETS: Readonly<Record<DatasetName, Dataset>> = Object.freeze({
  segment_cnv_occurrences: segmentCnvOccurrences,
  cnv_occurrences: cnvOccurrences,
  ssm_occurrences: ssmOccurrences,
  segment_cnvs: segmentCnvs,
  cnvs,
  ssms,
  files,
  annotations,
  genes,
  cases,
  projects,
})

/** Returns the dataset of an endpoint's name, or undefined for any other text. */
export function datasetOf(name: DatasetName): Dataset
export function datasetOf(name: string): Dataset | undefined
export function datasetOf(name: string): Dataset | undefined {
  return Object.hasOwn(DATASETS, name) ? DATASETS[name as DatasetName] : undefined
}
