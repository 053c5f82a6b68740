import { bothOf, type Filter } from '../filter/filter.ts'

/** Changes of genes that count, as analyses name them. */
export type Change = 'ssm' | 'cnv' | 'any'

/** All changes that analyses count, with their names. */
export const CHANGES: readonly (readonly [Change, string])[] = [
  ['ssm', 'simple mutations'],
  ['cnv', 'copy-number changes'],
  ['any', 'any change'],
]

const FIELDS = {
  ssm: ['ssms.consequence.transcript.gene.gene_id'],
  cnv: ['cnvs.consequence.gene.gene_id'],
  any: ['ssms.consequence.transcript.gene.gene_id', 'cnvs.consequence.gene.gene_id'],
} as const

const TESTED = { ssm: ['ssm'], cnv: ['cnv'], any: ['ssm', 'cnv'] } as const

/** Returns the filter of the cases that were tested for changes. For any change, these are tested for both. */
export const testedFilter = (change: Change): Filter => ({
  op: 'and',
  content: TESTED[change].map((kind) => ({
    op: 'in',
    content: { field: 'available_variation_data', value: [kind] },
  })),
})

/** Returns the filter of the cases in which a gene is changed. */
export const changedFilter = (change: Change, geneId: string): Filter =>
  // A group of its own, since conditions side by side would have to hold for the same mutation.
  ({
    op: 'or',
    content: FIELDS[change].map((field) => ({ op: 'in', content: { field, value: [geneId] } })),
  })

/** Returns the filter of the tested cases in which a gene is not changed. */
export function unchangedFilter(change: Change, geneId: string): Filter {
  const lacking = FIELDS[change].map(
    (field): Filter => ({ op: 'excludeifany', content: { field, value: [geneId] } }),
  )
  return bothOf(testedFilter(change), ...lacking) ?? testedFilter(change)
}
