import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { canonicalPath } from '../datasets/resolve.ts'

/**
 * Ids in the order in which they decide: a record that bears several belongs to the first, since a
 * file names cases, an annotation its case, an occurrence its variant.
 */
const BY_ID: readonly (readonly [string, DatasetName])[] = [
  ['segment_cnv_occurrence_id', 'segment_cnv_occurrences'],
  ['cnv_occurrence_id', 'cnv_occurrences'],
  ['ssm_occurrence_id', 'ssm_occurrences'],
  ['segment_cnv_id', 'segment_cnvs'],
  ['cnv_id', 'cnvs'],
  ['ssm_id', 'ssms'],
  ['annotation_id', 'annotations'],
  ['file_id', 'files'],
  ['gene_id', 'genes'],
  ['case_id', 'cases'],
  ['project_id', 'projects'],
]

/** Members that only one dataset's records have at their top, for records that bear no typed id. */
const BY_MEMBER: readonly (readonly [string, DatasetName])[] = [
  ['segment_cnv', 'segment_cnv_occurrences'],
  ['cnv', 'cnv_occurrences'],
  ['ssm', 'ssm_occurrences'],
  ['file_name', 'files'],
  ['md5sum', 'files'],
  ['data_format', 'files'],
  ['file_size', 'files'],
  ['entity_id', 'annotations'],
  ['genomic_dna_change', 'ssms'],
  ['gene_chromosome', 'genes'],
  ['symbol', 'genes'],
  ['demographic', 'cases'],
  ['diagnoses', 'cases'],
  ['follow_ups', 'cases'],
  ['exposures', 'cases'],
  ['samples', 'cases'],
  ['sample_ids', 'cases'],
  ['releasable', 'projects'],
  ['dbgap_accession_number', 'projects'],
]

/**
 * The dataset that a record belongs to, told by the names of its members; `undefined` when none of
 * them says so.
 */
export function datasetOfMembers(names: ReadonlySet<string>): DatasetName | undefined {
  for (const [name, dataset] of [...BY_ID, ...BY_MEMBER]) if (names.has(name)) return dataset
  if (!names.has('id')) return undefined
  const fitting = Object.values(DATASETS).filter(({ fields }) =>
    [...names].every((name) => name === 'id' || Object.hasOwn(fields, name)),
  )
  return fitting.length === 1 ? fitting[0]?.name : undefined
}

/** Whether at least half of a record's members are fields of the dataset. */
export function isMostlyKnown(dataset: DatasetName, names: readonly string[]): boolean {
  const { fields, hidden } = DATASETS[dataset]
  const isKnown = (name: string) =>
    name === 'id' || [fields, hidden].some((tree) => Object.hasOwn(tree, canonicalPath(name)))
  return names.filter(isKnown).length * 2 >= names.length
}
