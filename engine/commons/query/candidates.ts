import { type Bits, hasBit } from '../../shared/arrays/bitset.ts'
import { cutRanks } from '../../shared/arrays/rank-sort.ts'
import type { Codes } from '../release/layout.ts'
import { countCodes } from './histogram.ts'
import type { Ranking } from './ranking.ts'
import { bitsOf, type Selection } from './selection.ts'
import type { Lookup } from './source.ts'

/** Rows of which some are on the page; those of equal rank are in ascending order. */
export interface Candidates {
  readonly rows: Uint32Array
  /** Of each row by the sort key; absent when the rows are in order and no key follows. */
  readonly ranks?: Uint32Array | undefined
  /** Rows that come before all of them. */
  readonly before: number
}

/** First place of a page, and the place after its last. */
export type Span = readonly [from: number, to: number]

/** More ranks than that times the rows are not counted. */
const THIN = 64

/** Among listed rows, which ascend. */
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

/** Going along an order costs that many times less than listing rows and their ranks. */
const MAX_STEPS = 4

/** Up to so many codes the rows are counted by code and only those on the page are listed. */
const MAX_CODES = 1 << 16

/** By the codes of all rows, when each has one of few. */
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

/** Members whose code is in a range, or missing; `count` is how many there are. */
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
 * By the order of all rows that the release has, when going along it is worth while. Unless
 * `isLastKey`, all rows of a rank are listed or none.
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
  // Descending, the rows with values are gone through from their end; those without stay last.
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

/** Rows of one value were gone through from the end. Those without a value were not. */
function reverseTies(rows: Uint32Array, codes: Codes): void {
  for (let from = 0; from < rows.length; ) {
    const code = codes[rows[from]!]
    let to = from + 1
    while (to < rows.length && codes[rows[to]!] === code) to++
    if (code !== 0) rows.subarray(from, to).reverse()
    from = to
  }
}

/** Rows by place, as one or two extents of the order: what comes before `turn` is turned round. */
interface Placing {
  readonly order: Uint32Array
  readonly turn: number
}

/** Place of the member number `n`, looked for from the nearer end. */
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

/** Steps along an order to its member number `n`; `left` is not below 0 when there are not so many. */
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
