import { defineDataset, fields, under } from './compose.ts'
import { geneChange, geneChangeCaseInChange } from './groups/copy-number.ts'
import { variantCaseLevels } from './groups/variant-case.ts'

export const cnvs = defineDataset({
  name: 'cnvs',
  docType: 'cnv_centrics',
  idField: 'cnv_id',
  noun: 'copy number variation',
  fields: {
    ...geneChange,
    occurrence: fields({ keyword: 'occurrence_id' }, { case: geneChangeCaseInChange }),
  },
  hidden: {},
  nested: ['consequence', 'occurrence', ...under('occurrence.case', variantCaseLevels)],
  mounts: [
    {
      kind: 'reverse',
      at: 'occurrence',
      dataset: 'cnv_occurrences',
      through: 'cnv',
      names: { occurrence_id: 'cnv_occurrence_id' },
    },
  ],
  related: { cases: 'occurrence.case', genes: 'consequence.gene' },
  autocomplete: ['cnv_id'],
  caseAt: 'occurrence.case',
  casePath: { kind: 'occurrences', dataset: 'cnv_occurrences', at: 'cnv' },
  recognisedBy: [],
})
