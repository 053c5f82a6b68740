import { type Bits, hasBit } from '../../shared/arrays/bitset.ts'
import { cutRanks } from '../../shared/arrays/rank-sort.ts'
import type { Codes } from '../release/layout.ts'
import { countCodes } from './histogram.ts'
import type { Ranking } from './ranking.ts'
import { bitsOf, type Selection } from './selection.ts'
import type { Lookup } from './source.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Rows that may be on the requested page, including all that are. Rows with equal rank are in ascending order. */
export interface Candidates {
  readonly rows: Uint32Array
  /** Rank of each row by the sort key. Undefined if the rows are in order and no further key follows. */
  readonly ranks?: Uint32Array | undefined
  /** Number of rows that sort before all candidates. */
  readonly before: number
}

/** Positions of a page in the sorted result, 0-based and half-open. */
export type Span = readonly [from: number, to: number]

/** If there are more than this many ranks per row, counting rows by rank is slower than sorting them. */
const THIN = 64

/** Finds the candidates of a page among listed rows, which must be ascending. */
export function candidatesAmong(key: Ranking, rows: Uint32Array, [from, to]: Span): Candidates {
  const { last } = key
  const ranks = key.ranksOf(rows)
  if (last > THIN * rows.length) return { rows, ranks, before: 0 }
  const counts = new Uint32Array(last + 1)
  for (let i = 0; i < ranks.length; i++) {
    const rank = ranks[i]!
    counts[rank] = counts[rank]! + 1
  }
  const { low, high, before } = cutRanks(counts, from, to)
  let filled = 0
  const retainedRows = rows.slice()
  for (let i = 0; i < rows.length; i++) {
    const rank = ranks[i]!
    if (rank < low || rank > high) continue
    retainedRows[filled] = rows[i]!
    ranks[filled++] = rank
  }
  return { rows: retainedRows.subarray(0, filled), ranks: ranks.subarray(0, filled), before }
}

/** Maximum steps along a sorted order per selected row. Listing a row with its rank costs four steps. */
const MAX_STEPS = 4

/** Maximum number of codes for which rows are counted by code. Then only the rows of the page have to be listed. */
const MAX_CODES = 1 << 16

/** Finds the candidates of a page by counting rows per code. Requires one code per row and few codes. */
export function candidatesByCode(
  key: Ranking,
  rows: Selection,
  [from, to]: Span,
): Candidates | undefined {
  const { lookup, last, descending } = key
  if (!lookup || last > MAX_CODES || rows.count * 8 < rows.size) return undefined
  const bits = bitsOf(rows)
  const byCode = countCodes(lookup, bits, last - 1)
  const counts = new Uint32Array(last + 1)
  for (let rank = 1; rank <= last; rank++) {
    counts[rank] = byCode[rank === last ? 0 : descending ? last - rank : rank]!
  }
  const { low, high, before } = cutRanks(counts, from, to)
  const some = listed(lookup, bits, {
    lowest: descending ? last - Math.min(high, last - 1) : low,
    highest: descending ? last - low : Math.min(high, last - 1),
    withMissing: high === last,
    count: counts.subarray(low, high + 1).reduce((sum, count) => sum + count, 0),
  })
  return { rows: some, ranks: key.ranksOf(some), before }
}

/** Lists the `count` selected rows whose code is in a range, or that have no code. */
function listed(
  { codes, via }: Lookup,
  bits: Bits,
  wanted: {
    readonly lowest: number
    readonly highest: number
    readonly withMissing: boolean
    readonly count: number
  },
): Uint32Array {
  const { lowest, highest, withMissing, count } = wanted
  const rows = new Uint32Array(count)
  let filled = 0
  for (let w = 0; w < bits.length; w++) {
    const base = w << 5
    for (let word = bits[w]!; word !== 0; word &= word - 1) {
      const row = base + 31 - Math.clz32(word & -word)
      const code = codes[via ? via[row]! : row] as number
      if (code === 0 ? withMissing : code >= lowest && code <= highest) rows[filled++] = row
    }
  }
  return rows
}

/**
 * Finds the candidates of a page in the precomputed sort order of all rows, if that is faster. Unless
 * `isLastKey` is set, the result includes all rows of equal rank or none, because a further key orders them.
 */
export function candidatesInOrder(
  key: Ranking,
  { size, count, bits }: Selection,
  [from, to]: Span,
  isLastKey: boolean,
): Candidates | undefined {
  const { order, valued, descending, lookup } = key
  const steps = bits ? (Math.min(to, count - from) * size) / count : 0
  if (!order || !lookup || steps > MAX_STEPS * count) return undefined
  const { codes } = lookup
  // For descending order, rows with a value are read backwards. Rows without one stay last.
  const rowAt = (place: number) => order[descending && place < valued ? valued - 1 - place : place]!
  const isIn = (place: number) => !bits || hasBit(bits, rowAt(place))
  const areTied = (one: number, other: number) => codes[rowAt(one)] === codes[rowAt(other)]

  const isWhole = descending || !isLastKey
  const placing = { order, turn: descending ? valued : 0 }
  let place = bits ? placeOfMember(placing, bits, from, count) : from
  let before = from
  if (isWhole) {
    for (; place > 0 && areTied(place - 1, place); place--) if (isIn(place - 1)) before--
  }
  let rows = new Uint32Array(to - before)
  let filled = 0
  for (let last = place; place < size; place++) {
    if (before + filled >= to && !(isWhole && areTied(last, place))) break
    if (!isIn(place)) continue
    last = place
    if (filled === rows.length) rows = longer(rows)
    rows[filled++] = rowAt(place)
  }
  rows = rows.subarray(0, filled)
  if (descending) reverseTies(rows, codes)
  return { rows, ranks: isLastKey ? undefined : key.ranksOf(rows), before }
}

const longer = (rows: Uint32Array): Uint32Array<ArrayBuffer> => {
  const more = new Uint32Array(2 * rows.length)
  more.set(rows)
  return more
}

/** Restores the ascending order of rows with equal rank that were read backwards. */
function reverseTies(rows: Uint32Array, codes: Codes): void {
  for (let from = 0; from < rows.length; ) {
    const code = codes[rows[from]!]
    let to = from + 1
    while (to < rows.length && codes[rows[to]!] === code) to++
    if (code !== 0) rows.subarray(from, to).reverse()
    from = to
  }
}

/** Rows in a precomputed sort order, with the part before index `turn` read backwards. */
interface Placing {
  readonly order: Uint32Array
  readonly turn: number
}

/** Returns the position of the n-th selected row, searching from the nearer end. */
function placeOfMember({ order, turn }: Placing, bits: Bits, n: number, count: number): number {
  const size = order.length
  if (n * 2 <= count) {
    const { steps, left } = stepsTo(order, bits, n, { from: turn - 1, step: -1, most: turn })
    if (left < 0) return steps
    return turn + stepsTo(order, bits, left, { from: turn, step: 1, most: size - turn }).steps
  }
  const last = count - 1 - n
  const { steps, left } = stepsTo(order, bits, last, {
    from: size - 1,
    step: -1,
    most: size - turn,
  })
  if (left < 0) return size - 1 - steps
  return turn - 1 - stepsTo(order, bits, left, { from: 0, step: 1, most: turn }).steps
}

/** Returns the number of steps along an order to its n-th selected row. */
function stepsTo(
  order: Uint32Array,
  bits: Bits,
  n: number,
  { from, step, most }: { readonly from: number; readonly step: number; readonly most: number },
): { readonly steps: number; readonly left: number } {
  let left = n
  let steps = 0
  for (let at = from; steps < most; at += step) {
    const row = order[at]!
    left -= (bits[row >>> 5]! >>> (row & 31)) & 1
    if (left < 0) break
    steps++
  }
  return { steps, left }
}
