/** Returns `count` consecutive integers, starting at `from`. */
export function countUp(from: number, count: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(count)
  for (let i = 0; i < count; i++) numbers[i] = from + i
  return numbers
}

/** If there are more than this many ranks per row, sorting by comparison is faster than counting ranks. */
const THIN = 4

/**
 * Returns the places in ascending order of their ranks. The sort is stable.
 * @param ranks rank of each place
 * @param last highest rank
 */
export function sortedByRank(
  places: Uint32Array,
  ranks: Uint32Array,
  last: number,
): Uint32Array<ArrayBuffer> {
  return last > THIN * places.length
    ? sortedByKey(places, ranks)
    : sortedByCounting(places, ranks, last)
}

function sortedByKey(places: Uint32Array, ranks: Uint32Array): Uint32Array<ArrayBuffer> {
  const count = places.length
  // Rank and position are combined in one number, which a double represents exactly for all sizes that fit in memory.
  const keys = new Float64Array(count)
  for (let i = 0; i < count; i++) keys[i] = (ranks[places[i]!] as number) * count + i
  keys.sort()
  const sorted = new Uint32Array(count)
  for (let i = 0; i < count; i++) sorted[i] = places[keys[i]! % count] as number
  return sorted
}

function sortedByCounting(
  places: Uint32Array,
  ranks: Uint32Array,
  last: number,
): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(last + 2)
  for (let i = 0; i < places.length; i++) {
    const next = (ranks[places[i]!] as number) + 1
    starts[next] = starts[next]! + 1
  }
  for (let rank = 1; rank < starts.length; rank++) {
    starts[rank] = starts[rank]! + starts[rank - 1]!
  }
  const sorted = new Uint32Array(places.length)
  for (let i = 0; i < places.length; i++) {
    const place = places[i]!
    const rank = ranks[place]!
    const at = starts[rank]!
    sorted[at] = place
    starts[rank] = at + 1
  }
  return sorted
}

/**
 * Finds the ranks of the rows `from` … `to - 1` in sorted order.
 * @param counts number of rows of each rank
 * @returns the first and the last rank, and the number of rows before the first
 */
export function cutRanks(
  counts: Uint32Array,
  from: number,
  to: number,
): { readonly low: number; readonly high: number; readonly before: number } {
  let before = 0
  let low = 0
  while (before + counts[low]! <= from) before += counts[low++]!
  let high = low
  for (let end = before + counts[low]!; end < to; ) end += counts[++high]!
  return { low, high, before }
}
