import { defineDataset, fields, under } from './compose.ts'
import { segmentChange, segmentChangeCase } from './groups/copy-number.ts'
import { variantCaseLevels } from './groups/variant-case.ts'

export const segmentCnvOccurrences = defineDataset({
  name: 'segment_cnv_occurrences',
  docType: 'segment_cnv_occurrence_centrics',
  idField: 'segment_cnv_occurrence_id',
  noun: 'segment copy number variation occurrence',
  fields: fields(
    { keyword: 'segment_cnv_occurrence_id' },
    { case: segmentChangeCase, segment_cnv: segmentChange },
  ),
  hidden: {},
  nested: under('case', variantCaseLevels),
  mounts: [
    { kind: 'link', at: 'segment_cnv', dataset: 'segment_cnvs', by: 'segment_cnv_id', own: [] },
    { kind: 'link', at: 'case', dataset: 'cases', by: 'case_id', own: ['observation'] },
  ],
  related: { cases: 'case' },
  autocomplete: ['segment_cnv_occurrence_id'],
  caseAt: 'case',
  casePath: { kind: 'link', at: 'case' },
  recognisedBy: ['segment_cnv'],
})
