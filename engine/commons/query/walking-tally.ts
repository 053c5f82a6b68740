import type { LinkMove } from './join-path.ts'
import { isBoundBehindLink, lookupOf, type Source } from './source.ts'
import { walk } from './walk.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Counts rows by the values that they lead to, weighted by `weights`. The default weight is 1. */
export function tallyWalking(
  source: Source,
  rows: Uint32Array,
  weights?: Uint32Array,
): Uint32Array {
  const counts = new Uint32Array(source.column.layout.distinct + 1)
  // For each code, the row plus one for which it was last counted.
  const seen = new Uint32Array(counts.length)
  const add = (code: number, row: number) => {
    if (seen[code] === row + 1) return
    seen[code] = row + 1
    counts[code] = counts[code]! + (weights ? weights[row]! : 1)
  }
  const lists = listsOf(source, rows.length)
  if (lists) {
    eachListed(lists, rows, add)
    return counts
  }
  walk(source, rows, ({ rows: some, holders, values }) => {
    const has = new Uint8Array(holders.length)
    for (let i = 0; i < values.length; i++) {
      const holder = values.owners[i]!
      has[holder] = 1
      add(values.members[i]!, some[holders.owners[holder]!] as number)
    }
    for (let i = 0; i < holders.length; i++) {
      if (has[i] === 0) add(0, some[holders.owners[i]!] as number)
    }
  })
  return counts
}

/** Direct lists from each row to the codes of the elements that link to it. */
interface Lists {
  readonly link: LinkMove
  readonly parents: Uint32Array | undefined
  readonly codes: ArrayLike<number>
  readonly via: Uint32Array | undefined
}

/** Returns undefined for other kinds of paths, or if preparing the lists takes longer than counting the rows. */
function listsOf(source: Source, count: number): Lists | undefined {
  const [link, up] = source.moves
  if (link?.kind !== 'link' || !link.inverse || isBoundBehindLink(source)) return undefined
  const parents = up?.kind === 'level' && up.inverse ? up.parents : undefined
  const rest = source.moves.slice(parents ? 2 : 1)
  const listed = (count * link.reverseElements.length) / (link.reverseOffsets.length - 1)
  const lookup = lookupOf(source, rest, listed)
  return lookup?.codes && { link, parents, codes: lookup.codes, via: lookup.via }
}

function eachListed(
  { link, parents, codes, via }: Lists,
  rows: Uint32Array,
  visit: (code: number, row: number) => void,
): void {
  const { reverseOffsets, reverseElements } = link
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const end = reverseOffsets[row + 1]!
    for (let n = reverseOffsets[row]!; n < end; n++) {
      const element = reverseElements[n]!
      const record = parents ? parents[element]! : element
      visit(codes[via ? via[record]! : record]!, row)
    }
  }
}
