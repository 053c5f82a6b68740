import { type Bits, hasBit } from '../../../shared/arrays/bitset.ts'
import { linkKey } from '../../release/layout.ts'
import type { ArrayKey, Link, ReleaseArrays } from '../../release/loaded.ts'

/** A pair of a gene and a selected case. */
export interface Pair {
  readonly pair: number
  readonly row: number
}

export interface PairLinks {
  readonly case: Link
  readonly gene: Link
}

export const PAIR_LINK_KEYS: readonly ArrayKey[] = Object.freeze([
  linkKey('case_genes', 'case'),
  linkKey('case_genes', 'gene'),
])

/** Returns the links of pairs to cases and genes, or undefined if the release has no pairs. */
export function pairLinks(arrays: ReleaseArrays): PairLinks | undefined {
  const [one, gene] = [arrays.link('case_genes', 'case'), arrays.link('case_genes', 'gene')]
  return one && gene && { case: one, gene }
}

/** Returns the pairs of a gene's row with the cases in a bitmap. Undefined means all cases. */
export function pairsOfGene(
  gene: number,
  bits: Bits | undefined,
  { case: byCase, gene: byGene }: PairLinks,
): readonly Pair[] {
  const pairs: Pair[] = []
  const end = byGene.reverseOffsets[gene + 1]!
  for (let i = byGene.reverseOffsets[gene]!; i < end; i++) {
    const pair = byGene.reverseElements[i]!
    const row = byCase.targets[pair]! - 1
    if (row >= 0 && (!bits || hasBit(bits, row))) pairs.push({ pair, row })
  }
  return pairs
}
