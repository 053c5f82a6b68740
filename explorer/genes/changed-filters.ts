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

const COMPLEMENT: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A' }

/**
 * Returns the filter of the cases with a substitution of a class such as `C>A`, on either strand. Undefined for
 * other classes, such as insertions.
 */
export function substitutionFilter(name: string): Filter | undefined {
  const [, from = '', to = ''] = /^([ACGT])>([ACGT])$/.exec(name) ?? []
  if (from === '') return undefined
  const allele = (field: string, value = ''): Filter => ({
    op: 'in',
    content: { field: `ssms.${field}_allele`, value: [value] },
  })
  const strands = [
    [from, to],
    [COMPLEMENT[from], COMPLEMENT[to]],
  ]
  // Both alleles are of the same mutation.
  const content = strands.map(
    ([reference, tumor]): Filter => ({
      op: 'and',
      content: [allele('reference', reference), allele('tumor', tumor)],
    }),
  )
  return { op: 'or', content }
}

/** Name of the cases without a copy-number change of a gene. */
export const UNCHANGED_COPIES = 'No change'

/** Returns the filter of the tested cases with a change of a gene, named by its category or else by itself. */
export function copyFilter(geneId: string, change: string): Filter {
  if (change === UNCHANGED_COPIES) return unchangedFilter('cnv', geneId)
  const field = 'cnvs.consequence.gene.gene_id'
  return namedChanges('cnvs', [change], [{ op: 'in', content: { field, value: [geneId] } }])
}

/**
 * Returns the filter of copy-number changes with one of some names: of their category, or without one their own.
 * @param path field that has the changes
 * @param others conditions that the same change meets, too
 */
export function namedChanges(
  path: string,
  names: readonly string[],
  others: readonly Filter[] = [],
): Filter {
  const category = `${path}.cnv_change_5_category`
  const among = (field: string): Filter => ({ op: 'in', content: { field, value: names } })
  const isUnnamed: Filter = { op: 'is', content: { field: category, value: 'missing' } }
  return {
    op: 'or',
    content: [
      { op: 'and', content: [...others, among(category)] },
      { op: 'and', content: [...others, among(`${path}.cnv_change`), isUnnamed] },
    ],
  }
}
