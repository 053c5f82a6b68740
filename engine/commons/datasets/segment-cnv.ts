import { defineDataset, fields, under } from './compose.ts'
import { segmentChange, segmentChangeCase } from './groups/copy-number.ts'
import { variantCaseLevels } from './groups/variant-case.ts'

export const segmentCnvs = defineDataset({
  name: 'segment_cnvs',
  docType: 'segment_cnv_centrics',
  idField: 'segment_cnv_id',
  noun: 'segment copy number variation',
  fields: {
    ...segmentChange,
    occurrence: fields({ keyword: 'occurrence_id' }, { case: segmentChangeCase }),
  },
  hidden: {},
  nested: ['occurrence', ...under('occurrence.case', variantCaseLevels)],
  mounts: [
    {
      kind: 'reverse',
      at: 'occurrence',
      dataset: 'segment_cnv_occurrences',
      through: 'segment_cnv',
      names: { occurrence_id: 'segment_cnv_occurrence_id' },
    },
  ],
  related: { cases: 'occurrence.case' },
  autocomplete: ['segment_cnv_id'],
  caseAt: 'occurrence.case',
  casePath: { kind: 'occurrences', dataset: 'segment_cnv_occurrences', at: 'segment_cnv' },
  recognisedBy: [],
})
