import { type Bits, countBits, intersect, newBits, setBit } from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { keysOfFilter } from '../../query/keys.ts'
import { selectRows } from '../../query/select.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey } from '../../release/layout.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { jsonOf } from '../../render/values.ts'
import { adjustedPValues } from '../statistics/adjusted-p-values.ts'
import { fisherPValue } from '../statistics/fisher-exact.ts'
import { logOddsRatio } from '../statistics/odds-ratio.ts'
import { type CountedChange, isChangedBy, testedFor } from './changed-cases.ts'
import { type GeneName, geneNameOf, geneRows } from './gene-names.ts'
import { PAIR_LINK_KEYS, type PairLinks, pairLinks, pairsOfGene } from './gene-pairs.ts'
import { PAIR_CHANGE_KEYS, pairChangesOf } from './pair-changes.ts'
import { TESTED_KEYS } from './tested-cases.ts'

interface GeneAssociationsQuery {
  readonly cases?: Filter | undefined
  /** Gene ids. If empty, the genes that are changed in the most cases are used. */
  readonly geneIds: readonly string[]
  readonly geneSize: number
  readonly change: CountedChange
}

/** Association of two genes over the tested cases. Genes are indices in `genes`. */
interface GenePair {
  readonly genes: readonly [number, number]
  /** Number of cases in which both genes are changed, only the first, only the second, and neither. */
  readonly both: number
  readonly first_only: number
  readonly second_only: number
  readonly neither: number
  readonly tendency: 'co-occurrence' | 'mutual exclusivity' | 'none'
  readonly log2_odds_ratio: number | null
  readonly lower_95: number | null
  readonly upper_95: number | null
  /** Fisher's exact test, two-sided. */
  readonly p_value: number
  readonly q_value: number
}

interface GeneAssociations {
  /** Number of cases that match the filter, and of those that were tested for the changes. */
  readonly total: number
  readonly tested: number
  readonly genes: readonly (GeneName & { readonly cases: number })[]
  /** All pairs of these genes, by p-value. */
  readonly pairs: readonly GenePair[]
}

/** Returns the keys of all arrays that the query may read, so that they can be loaded. */
export function keysOfGeneAssociations({
  cases,
}: Pick<GeneAssociationsQuery, 'cases'>): readonly ArrayKey[] {
  return [
    ...keysOfFilter(cases),
    ...PAIR_CHANGE_KEYS,
    ...TESTED_KEYS,
    ...PAIR_LINK_KEYS,
    columnKey('genes', 'gene_id'),
    columnKey('genes', 'symbol'),
  ]
}

/** Tests whether genes are changed in the same cases more often, or less often, than by chance. */
function geneAssociationsOf(query: GeneAssociationsQuery, arrays: ReleaseArrays): GeneAssociations {
  const selected = selectRows('cases', query.cases, [], arrays).rows
  const tested = testedFor(query.change, selected, arrays) ?? newBits(selected.size)
  const links = pairLinks(arrays)
  const isChanged = isChangedBy(query.change, pairChangesOf(arrays))
  const changedIn = (row: number) =>
    links ? changedCases(row, tested, links, isChanged) : newBits(selected.size)
  const count = links ? countGenes(tested, links, isChanged) : new Uint32Array(arrays.rows('genes'))
  const rows = geneRows(query, count, arrays)
  const changed = rows.map(changedIn)
  const all = countBits(tested)
  return {
    total: selected.count,
    tested: all,
    genes: rows.map((row, i) => ({ ...geneNameOf(row, arrays), cases: countBits(changed[i]!) })),
    pairs: pairsOf(changed, all),
  }
}

function changedCases(
  gene: number,
  tested: Bits,
  links: PairLinks,
  isChanged: (pair: number) => boolean,
): Bits {
  const bits = newBits(tested.length * 32)
  for (const { pair, row } of pairsOfGene(gene, tested, links)) {
    if (isChanged(pair)) setBit(bits, row)
  }
  return bits
}

/** Returns the number of tested cases in which each gene is changed. */
function countGenes(
  tested: Bits,
  { case: byCase, gene: byGene }: PairLinks,
  isChanged: (pair: number) => boolean,
): Uint32Array {
  const counts = new Uint32Array(byGene.reverseOffsets.length - 1)
  for (let pair = 0; pair < byCase.targets.length; pair++) {
    const row = byCase.targets[pair]! - 1
    const gene = byGene.targets[pair]! - 1
    if (row < 0 || gene < 0 || ((tested[row >>> 5]! >>> (row & 31)) & 1) === 0) continue
    if (isChanged(pair)) counts[gene]!++
  }
  return counts
}

function pairsOf(changed: readonly Bits[], tested: number): readonly GenePair[] {
  const sizes = changed.map(countBits)
  const pairs = changed.flatMap((first, i) =>
    changed.slice(i + 1).map((second, k) => {
      const both = countBits(intersect(first.slice(), second))
      return pairOf([i, i + 1 + k], both, [sizes[i]!, sizes[i + 1 + k]!], tested)
    }),
  )
  const adjusted = adjustedPValues(Float64Array.from(pairs, ({ p_value }) => p_value))
  return pairs
    .map((pair, i) => ({ ...pair, q_value: adjusted[i]! }))
    .sort((one, other) => one.p_value - other.p_value)
}

function pairOf(
  genes: readonly [number, number],
  both: number,
  [first, second]: readonly [number, number],
  tested: number,
) {
  const [firstOnly, secondOnly] = [first - both, second - both]
  const neither = tested - first - secondOnly
  const counts = [both, firstOnly, secondOnly, neither] as const
  const ratio = logOddsRatio(counts)
  const excess = both * neither - firstOnly * secondOnly
  const tendency = excess > 0 ? 'co-occurrence' : excess < 0 ? 'mutual exclusivity' : 'none'
  return {
    genes,
    both,
    first_only: firstOnly,
    second_only: secondOnly,
    neither,
    tendency,
    log2_odds_ratio: ratio ? ratio.value / Math.LN2 : null,
    lower_95: ratio ? ratio.lower / Math.LN2 : null,
    upper_95: ratio ? ratio.upper / Math.LN2 : null,
    p_value: fisherPValue(counts),
  } as const
}

interface GeneAssociationsInput {
  readonly query: GeneAssociationsQuery
  readonly loaded: LoadedArrays
  readonly pretty: boolean
}

export const geneAssociationsJob: Job<GeneAssociationsInput, Uint8Array<ArrayBuffer>> = {
  name: 'mutation-counts.associations',
  run: ({ query, loaded, pretty }) =>
    jsonOf(geneAssociationsOf(query, arraysOf(loaded)), { pretty }),
  transfer: (bytes) => [bytes.buffer],
}
