import { TABLE_FIELDS } from './questions.ts'

// What bodies look like, for those that have to be told (data-commons.md 3.5, 3.7, 3.2).

export const MANIFEST_HEADER = 'id\tfilename\tmd5\tsize\tstate'

/** Members of a file that are no fields of its own: groups and lists of groups. */
export const FILE_GROUPS = [
  'analysis',
  'annotations',
  'archive',
  'associated_entities',
  'cases',
  'center',
  'downstream_analyses',
  'index_files',
  'metadata_files',
] as const

/** Fields of an aliquot itself; its groups are not what `expand` of it brings. */
export const ALIQUOT_FIELDS = [
  'aliquot_id',
  'aliquot_quantity',
  'aliquot_volume',
  'amount',
  'analyte_type',
  'concentration',
  'created_datetime',
  'no_matched_normal_low_pass_wgs',
  'no_matched_normal_targeted_sequencing',
  'no_matched_normal_wgs',
  'no_matched_normal_wxs',
  'selected_normal_low_pass_wgs',
  'selected_normal_targeted_sequencing',
  'selected_normal_wgs',
  'selected_normal_wxs',
  'source_center',
  'state',
  'submitter_id',
  'updated_datetime',
] as const

/** Fields of a file itself, with their types in SQL. */
export const FILE_FIELDS = {
  access: 'VARCHAR',
  acl: 'VARCHAR[]',
  average_base_quality: 'BIGINT',
  average_insert_size: 'BIGINT',
  average_read_length: 'BIGINT',
  contamination: 'DOUBLE',
  contamination_error: 'DOUBLE',
  created_datetime: 'VARCHAR',
  data_category: 'VARCHAR',
  data_format: 'VARCHAR',
  data_release: 'VARCHAR',
  data_type: 'VARCHAR',
  experimental_strategy: 'VARCHAR',
  file_id: 'VARCHAR',
  file_name: 'VARCHAR',
  file_size: 'BIGINT',
  md5sum: 'VARCHAR',
  mean_coverage: 'DOUBLE',
  msi_score: 'DOUBLE',
  msi_status: 'VARCHAR',
  pairs_on_diff_chr: 'BIGINT',
  platform: 'VARCHAR',
  proportion_coverage_10x: 'DOUBLE',
  proportion_coverage_30x: 'DOUBLE',
  proportion_reads_duplicated: 'DOUBLE',
  proportion_reads_mapped: 'DOUBLE',
  state: 'VARCHAR',
  submitter_id: 'VARCHAR',
  total_reads: 'BIGINT',
  tumor_ploidy: 'DOUBLE',
  tumor_purity: 'DOUBLE',
  type: 'VARCHAR',
  updated_datetime: 'VARCHAR',
  version: 'VARCHAR',
} as const

/** Fields of a sample itself that the release has. */
export const SAMPLE_FIELDS = ['sample_id', 'sample_type', 'submitter_id', 'tissue_type'] as const

/**
 * Names of everything in a file and its samples, list positions as numbers, in ascending order.
 * @param widths the longest list of each kind
 */
export function placesOf(widths: {
  readonly acl: number
  readonly cases: number
  readonly samples: number
}): string[] {
  const each = (count: number, name: (place: number) => string | string[]) =>
    Array.from({ length: count }, (_, place) => name(place)).flat()
  const samples = each(widths.cases, (i) =>
    each(widths.samples, (j) => SAMPLE_FIELDS.map((name) => `cases.${i}.samples.${j}.${name}`)),
  )
  const own = Object.keys(FILE_FIELDS).filter((name) => name !== 'acl')
  return [...own, ...each(widths.acl, (i) => `acl.${i}`), ...samples].sort()
}

/**
 * Columns of the table when a file has at most that many cases: `id`, then all names in ascending
 * order, list positions as numbers.
 */
export function tableColumns(cases: number): string[] {
  const names = TABLE_FIELDS.flatMap((field) => {
    if (!field.startsWith('cases.')) return [field as string]
    return Array.from({ length: cases }, (_, i) => field.replace('cases.', `cases.${i}.`))
  })
  return ['id', ...names.sort()]
}
