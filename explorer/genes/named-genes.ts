import type { SearchAnswer } from '../cohort/count.ts'
import type { Filter } from '../filter/filter.ts'
import type { ServiceRequest } from '../service/service.ts'
import { type Answer, useAnswer } from '../service/use-answer.ts'

export interface NamedGene {
  readonly gene_id: string
  readonly symbol?: string
}

const ID = /^ENSG\d+$/i

/** Splits a text into the symbols and ids of genes that it lists, each once. */
export const genesIn = (text: string): readonly string[] => [
  ...new Set(text.split(/[\s,;]+/).filter((name) => name !== '')),
]

/** Returns the gene that a symbol or id names. */
export const geneNamed = (genes: readonly NamedGene[], name: string): NamedGene | undefined =>
  genes.find(
    ({ gene_id, symbol }) =>
      gene_id === name.toUpperCase() || symbol?.toUpperCase() === name.toUpperCase(),
  )

/** Maximum number of unknown names that are listed. */
const MAX_UNKNOWN = 10

/** Returns the first names of no gene, and how many more there are. */
export function unknownOf(
  names: readonly string[],
  genes: readonly NamedGene[],
): readonly string[] {
  const known = new Set(
    genes.flatMap(({ gene_id, symbol = '' }) => [gene_id.toUpperCase(), symbol.toUpperCase()]),
  )
  const unknown = names.filter((name) => !known.has(name.toUpperCase()))
  const more = unknown.length - MAX_UNKNOWN
  return more > 0 ? [...unknown.slice(0, MAX_UNKNOWN), `and ${more} more`] : unknown
}

/** Loads the genes that symbols and ids name. Names of no gene are left out. */
export function useNamedGenes(names: readonly string[]): Answer<readonly NamedGene[]> {
  const { data, ...state } = useAnswer<SearchAnswer<NamedGene>>(
    names.length > 0 ? requestOf(names) : undefined,
  )
  return { ...state, data: names.length > 0 ? data?.data.hits : [] }
}

function requestOf(names: readonly string[]): ServiceRequest {
  const [ids, symbols] = [names.filter((name) => ID.test(name)), names.filter((n) => !ID.test(n))]
  const content = [
    { field: 'gene_id', value: ids.map((id) => id.toUpperCase()) },
    { field: 'symbol', value: symbols },
  ].flatMap((condition): Filter[] =>
    condition.value.length > 0 ? [{ op: 'in', content: condition }] : [],
  )
  return {
    path: '/genes',
    // A symbol may be that of several genes.
    query: { fields: 'gene_id,symbol', size: 2 * names.length },
    filters: { op: 'or', content },
  }
}
