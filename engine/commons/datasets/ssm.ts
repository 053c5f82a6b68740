import { defineDataset, fields, under } from './compose.ts'
import { mutation, mutationCase } from './groups/mutation.ts'
import { variantCaseLevels } from './groups/variant-case.ts'

export const ssms = defineDataset({
  name: 'ssms',
  docType: 'ssm_centrics',
  idField: 'ssm_id',
  noun: 'simple somatic mutation',
  fields: {
    ...mutation,
    occurrence: fields({ keyword: 'occurrence_id' }, { case: mutationCase }),
  },
  // Three bases around a substitution. The public service has them in its mutation tables only.
  hidden: fields({ keyword: 'reference_context' }),
  nested: ['consequence', 'occurrence', ...under('occurrence.case', variantCaseLevels)],
  mounts: [
    {
      kind: 'reverse',
      at: 'occurrence',
      dataset: 'ssm_occurrences',
      through: 'ssm',
      names: { occurrence_id: 'ssm_occurrence_id' },
    },
  ],
  related: { cases: 'occurrence.case', genes: 'consequence.transcript.gene' },
  autocomplete: ['ssm_id', 'gene_aa_change', 'genomic_dna_change'],
  caseAt: 'occurrence.case',
  casePath: { kind: 'occurrences', dataset: 'ssm_occurrences', at: 'ssm' },
  quickSearch: { label: 'Ssm', fields: ['ssm_id', 'genomic_dna_change', 'gene_aa_change'] },
  recognisedBy: ['genomic_dna_change'],
})
