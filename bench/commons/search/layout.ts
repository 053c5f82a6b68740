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
