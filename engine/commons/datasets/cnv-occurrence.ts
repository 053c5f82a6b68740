import { defineDataset, fields, under } from './compose.ts'
import { geneChange, geneChangeCase } from './groups/copy-number.ts'
import { variantCaseLevels } from './groups/variant-case.ts'

export const cnvOccurrences = defineDataset({
  name: 'cnv_occurrences',
  docType: 'cnv_occurrence_centrics',
  idField: 'cnv_occurrence_id',
  noun: 'copy number variation occurrence',
  fields: fields(
    { keyword: 'cnv_occurrence_id' },
    { case: geneChangeCase, cnv: { ...geneChange, ...fields({ keyword: 'variant_status' }) } },
  ),
  hidden: {},
  nested: [...under('case', variantCaseLevels), 'cnv.consequence'],
  mounts: [
    { kind: 'link', at: 'cnv', dataset: 'cnvs', by: 'cnv_id', own: ['variant_status'] },
    { kind: 'link', at: 'case', dataset: 'cases', by: 'case_id', own: ['observation'] },
  ],
  related: { cases: 'case', genes: 'cnv.consequence.gene', cnvs: 'cnv' },
  autocomplete: ['cnv_occurrence_id'],
  caseAt: 'case',
  casePath: { kind: 'link', at: 'case' },
  recognisedBy: ['cnv'],
})
