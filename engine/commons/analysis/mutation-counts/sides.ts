import { hasBit } from '../../../shared/arrays/bitset.ts'
import type { Bare } from '../../datasets/case-gene.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { leavesOf } from '../../query/keys.ts'
import { selectRows } from '../../query/select.ts'
import { rowsOf, type Selection } from '../../query/selection.ts'
import { normalise } from '../../query/shape.ts'
import type { Link, ReleaseArrays } from '../../release/loaded.ts'

/** A condition on pairs of a case and a gene, split into a condition on the case and one on the gene. */
export type Sides = Readonly<Record<Bare, Filter | undefined>>

/**
 * Splits a condition on pairs, resolved for each record type. Returns undefined if a part of it refers to
 * mutations, or to both case and gene.
 */
export function sidesOf(pairs: Filter, roots: Readonly<Record<Bare, Filter>>): Sides | undefined {
  const asPairs = conjunction(pairs)
  const parts = { case: conjunction(roots.case), gene: conjunction(roots.gene) }
  const sides: Readonly<Record<Bare, Filter[]>> = { case: [], gene: [] }
  for (const [i, part] of asPairs.entries()) {
    const side = sideOf(part)
    const same = side && parts[side][i]
    if (!same) return undefined
    sides[side].push(same)
  }
  return { case: allOf(sides.case), gene: allOf(sides.gene) }
}

/** Joins filters by a single `and`. Joining thousands of them one by one would nest them thousands deep. */
function allOf(parts: readonly Filter[]): Filter | undefined {
  return parts.length > 1 ? { kind: 'and', parts } : parts[0]
}

/** Returns the parts of a filter that must all hold. Their number and order are the same for each record type. */
function conjunction(filter: Filter): readonly Filter[] {
  const flat = normalise(filter)
  return flat.kind === 'and' ? flat.parts : [flat]
}

function sideOf(filter: Filter): Bare | undefined {
  const sides = new Set(
    leavesOf(filter).map(({ field: { steps } }) => {
      const [first] = steps
      return first?.kind === 'link' && first.dataset === 'case_genes' ? first.at : undefined
    }),
  )
  const [side] = sides
  return sides.size === 1 && (side === 'case' || side === 'gene') ? side : undefined
}

/** Visits each pair whose case and gene both match. Starts from the condition that leaves fewer pairs. */
export function eachPair(
  sides: Sides,
  links: Readonly<Record<Bare, Link>>,
  arrays: ReleaseArrays,
  see: (pair: number) => void,
): void {
  const chosen = {
    case: selectRows('cases', sides.case, [], arrays).rows,
    gene: selectRows('genes', sides.gene, [], arrays).rows,
  }
  const isByCase = pairsOf(chosen.case, links.case) <= pairsOf(chosen.gene, links.gene)
  const [own, other] = isByCase ? (['case', 'gene'] as const) : (['gene', 'case'] as const)
  const { reverseOffsets, reverseElements } = links[own]
  const { targets } = links[other]
  const { bits } = chosen[other]
  for (const row of rowsOf(chosen[own])) {
    const end = reverseOffsets[row + 1]!
    for (let i = reverseOffsets[row]!; i < end; i++) {
      const pair = reverseElements[i]!
      if (!bits || hasBit(bits, targets[pair]! - 1)) see(pair)
    }
  }
}

function pairsOf(selection: Selection, { reverseOffsets, reverseElements }: Link): number {
  if (!selection.bits) return reverseElements.length
  let pairs = 0
  for (const row of rowsOf(selection)) {
    pairs += reverseOffsets[row + 1]! - reverseOffsets[row]!
  }
  return pairs
}
