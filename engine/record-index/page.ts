import { countUp } from '../query/rank-sort.ts'

/**
 * Places `from` … `to - 1` of candidates in ascending order of their keys, ties by the second, which
 * no two share; none beyond the last. Only the page is sorted.
 */
export function pageOf(
  keys: Float64Array,
  ties: Uint32Array,
  from: number,
  to: number,
): Uint32Array {
  const count = keys.length
  if (from >= Math.min(to, count)) return new Uint32Array(0)
  const places = countUp(0, count)
  const compare = (a: number, b: number) =>
    (keys[a] as number) - (keys[b] as number) || (ties[a] as number) - (ties[b] as number)
  part(places, from, [0, count], compare)
  if (to < count) part(places, to, [from, count], compare)
  return places.slice(from, Math.min(to, count)).sort(compare)
}

/**
 * Moves places so that those before `at` are not after those from there on, within bounds: the
 * quick way of finding the greatest few of many.
 */
function part(
  places: Uint32Array,
  at: number,
  [from, to]: readonly [number, number],
  compare: (a: number, b: number) => number,
): void {
  let low = from
  let high = to - 1
  // Any pivot gives the right answer; one that no order of the candidates foresees gives it soon.
  let seed = 0x9e3779b9
  while (low < high && at > low) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    const pivot = places[low + (seed % (high - low + 1))] as number
    let left = low
    let right = high
    while (left <= right) {
      while (compare(places[left] as number, pivot) < 0) left++
      while (compare(places[right] as number, pivot) > 0) right--
      if (left > right) break
      const moved = places[left] as number
      places[left++] = places[right] as number
      places[right--] = moved
    }
    if (at <= right) high = right
    else if (at >= left) low = left
    else return
  }
}
