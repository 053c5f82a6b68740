import { defineDataset, fields, under } from './compose.ts'
import { mutation, mutationCase } from './groups/mutation.ts'
import { variantCaseLevels } from './groups/variant-case.ts'

export const ssmOccurrences = defineDataset({
  name: 'ssm_occurrences',
  docType: 'ssm_occurrence_centrics',
  idField: 'ssm_occurrence_id',
  noun: 'simple somatic mutation occurrence',
  fields: fields({ keyword: 'ssm_occurrence_id' }, { case: mutationCase, ssm: mutation }),
  hidden: {},
  nested: [...under('case', variantCaseLevels), 'ssm.consequence'],
  mounts: [
    { kind: 'link', at: 'ssm', dataset: 'ssms', by: 'ssm_id', own: [] },
    { kind: 'link', at: 'case', dataset: 'cases', by: 'case_id', own: ['observation'] },
  ],
  related: { cases: 'case', genes: 'ssm.consequence.transcript.gene', ssms: 'ssm' },
  autocomplete: ['ssm_occurrence_id'],
  caseAt: 'case',
  casePath: { kind: 'link', at: 'case' },
  recognisedBy: ['ssm'],
})
