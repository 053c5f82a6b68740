import type { Cohort } from '../../address/address.ts'
import { bothOf, type Filter } from '../../filter/filter.ts'
import {
  type Change,
  changedFilter,
  testedFilter,
  unchangedFilter,
} from '../../genes/changed-filters.ts'

/** A pair of genes in the response of `/analysis/gene_associations`. */
interface Pair {
  /** Indexes in `genes`. */
  readonly genes: readonly [number, number]
  readonly both: number
  readonly first_only: number
  readonly second_only: number
  readonly neither: number
  readonly tendency: 'co-occurrence' | 'mutual exclusivity' | 'none'
  readonly log2_odds_ratio: number | null
  readonly lower_95: number | null
  readonly upper_95: number | null
  readonly p_value: number
  readonly q_value: number
}

interface PairedGene {
  readonly gene_id: string
  readonly symbol: string | null
  readonly cases: number
}

export interface PairsAnswer {
  readonly total: number
  readonly tested: number
  readonly genes: readonly PairedGene[]
  readonly pairs: readonly Pair[]
}

/** A tested pair with the names of its genes. */
export interface TestedPair extends Pair {
  readonly first: PairedGene
  readonly second: PairedGene
}

export const nameOf = ({ symbol, gene_id }: PairedGene) => symbol ?? gene_id

/** Returns the pairs with their genes, in the order of the answer. */
export const pairsOf = ({ genes, pairs }: PairsAnswer): readonly TestedPair[] =>
  pairs.flatMap((pair) => {
    const [first, second] = pair.genes.map((place) => genes[place])
    return first && second ? [{ ...pair, first, second }] : []
  })

/** Which of the genes of a pair are changed in a case. */
export type Side = 'both' | 'first_only' | 'second_only' | 'neither' | 'one'

export const casesOf = (pair: TestedPair, side: Side): number =>
  side === 'one' ? pair.first_only + pair.second_only : pair[side]

/** Returns the cohort of the tested cases in which these genes of a pair are changed. */
export function cohortOf(
  pair: TestedPair,
  side: Side,
  { change, within }: { readonly change: Change; readonly within: Filter | undefined },
): Cohort {
  const [first, second] = [nameOf(pair.first), nameOf(pair.second)]
  const having = [pair.first, pair.second].map(({ gene_id }) => changedFilter(change, gene_id))
  const lacking = [pair.first, pair.second].map(({ gene_id }) => unchangedFilter(change, gene_id))
  const firstOnly = bothOf(having[0], lacking[1])
  const secondOnly = bothOf(lacking[0], having[1])
  const tested = testedFilter(change)
  switch (side) {
    case 'both':
      return { name: `${first} and ${second}`, filter: bothOf(within, tested, ...having) }
    case 'first_only':
      return { name: `${first} without ${second}`, filter: bothOf(within, tested, firstOnly) }
    case 'second_only':
      return { name: `${second} without ${first}`, filter: bothOf(within, tested, secondOnly) }
    case 'neither':
      return { name: `Neither ${first} nor ${second}`, filter: bothOf(within, ...lacking) }
    case 'one': {
      const content = [firstOnly, secondOnly].flatMap((part) => part ?? [])
      return {
        name: `Either ${first} or ${second}`,
        filter: bothOf(within, tested, { op: 'or', content }),
      }
    }
  }
}
