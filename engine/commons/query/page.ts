import { countUp, sortedByRank } from '../../shared/arrays/rank-sort.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import {
  type Candidates,
  candidatesAmong,
  candidatesByCode,
  candidatesInOrder,
  type Span,
} from './candidates.ts'
import type { Query } from './query.ts'
import { type Ranking, rankingOf } from './ranking.ts'
import { ascendingRows, bitsWith, type Selection } from './selection.ts'

/**
 * Returns the rows of a page. Rows are sorted by each key in turn, missing values last, and then by row number,
 * which is the order of ids (data-commons.md 2.1). A page beyond the last row is empty.
 */
export function pageOf(
  { sort, from, size }: Pick<Query, 'sort' | 'from' | 'size'>,
  rows: Selection,
  arrays: ReleaseArrays,
): Uint32Array {
  const page: Span = [from, Math.min(from + size, rows.count)]
  if (page[0] >= page[1]) return new Uint32Array(0)
  const [first, ...more] = sort
    .map((order) => rankingOf(order, rows, arrays))
    .filter((ranking) => ranking !== undefined)
  if (!first) return ascending(rows, page)
  if (first.isById) return first.descending ? descending(rows, page) : ascending(rows, page)
  return sorted(first, more, rows, page)
}

function sorted(
  key: Ranking,
  more: readonly Ranking[],
  selection: Selection,
  page: Span,
): Uint32Array {
  const candidates =
    candidatesInOrder(key, selection, page, more.length === 0) ??
    candidatesByCode(key, selection, page) ??
    candidatesAmong(key, ascending(selection, [0, selection.count]), page)
  return settle(key, candidates, more, page, selection.size)
}

function ascending(rows: Selection, [from, to]: Span): Uint32Array {
  return rows.listed || rows.bits ? ascendingRows(rows, from, to) : countUp(from, to - from)
}

function descending(rows: Selection, [from, to]: Span): Uint32Array {
  return ascending(rows, [rows.count - to, rows.count - from]).reverse()
}

/** Sorts candidates by rank and further keys, and returns the page. */
function settle(
  key: Ranking,
  { rows, ranks, before }: Candidates,
  more: readonly Ranking[],
  [from, to]: Span,
  size: number,
): Uint32Array {
  const page: Span = [from - before, to - before]
  if (!ranks) return rows.slice(...page)
  const [next, ...others] = more
  if (next && ranks.every((rank) => rank === ranks[0])) {
    // All rows of the page have the same rank by the first key, so only the further keys matter.
    return sorted(next, others, { size, count: rows.length, bits: bitsWith(rows, size) }, page)
  }
  let places = countUp(0, rows.length)
  for (const further of more.toReversed()) {
    places = sortedByRank(places, further.ranksOf(rows), further.last)
  }
  places = sortedByRank(places, ranks, key.last)
  const found = places.slice(...page)
  for (let i = 0; i < found.length; i++) found[i] = rows[found[i]!] as number
  return found
}
