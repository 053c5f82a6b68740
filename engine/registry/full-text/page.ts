import { countUp } from '../../shared/arrays/rank-sort.ts'

/** Minimum number of candidates to keep at a time. */
const MIN_HELD = 512

/** Candidates as two parallel arrays. Greater keys come first. Of equal keys, a unique number decides. */
interface Candidates {
  readonly keys: Float64Array
  readonly ties: Uint32Array
}

/** Returns the candidates at ranks `from` to `to - 1`, in order, or fewer at the end. */
export function pageOf(candidates: Candidates, from: number, to: number): Uint32Array {
  const { keys, ties } = candidates
  const end = Math.min(to, keys.length)
  if (from >= end) return new Uint32Array(0)
  const compare = (a: number, b: number) => keys[b]! - keys[a]! || ties[a]! - ties[b]!
  const places = leastOf(candidates, end, compare)
  if (end < places.length) part(places, end, [0, places.length], compare)
  part(places, from, [0, end], compare)
  return places.slice(from, end).sort(compare)
}

type Compare = (a: number, b: number) => number

/** Returns a subset of the candidates, in any order, that includes the first ones. */
function leastOf({ keys, ties }: Candidates, first: number, compare: Compare): Uint32Array {
  const held = Math.max(2 * first, MIN_HELD)
  if (held >= keys.length) return countUp(0, keys.length)
  const places = countUp(0, held)
  let count = held
  let [key, tie] = [0, 0]
  for (let place = held; ; place++) {
    if (count === held) {
      part(places, first, [0, held], compare)
      count = first
      const last = places.subarray(0, first).reduce((a, b) => (compare(a, b) > 0 ? a : b))
      key = keys[last]!
      tie = ties[last]!
    }
    while (place < keys.length && !(keys[place]! > key)) {
      if (keys[place] === key && ties[place]! < tie) break
      place++
    }
    if (place >= keys.length) return places.subarray(0, count)
    places[count++] = place
  }
}

/** Partitions the places within the bounds, so that the smallest come before `at` (quickselect). */
function part(
  places: Uint32Array,
  at: number,
  [from, to]: readonly [number, number],
  compare: Compare,
): void {
  let low = from
  let high = to - 1
  // Any pivot gives a correct result. A pseudorandom one prevents inputs that are crafted to be slow.
  let seed = 0x9e3779b9
  while (low < high && at > low) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    const pivot = places[low + Math.floor((seed / 2 ** 32) * (high - low + 1))]!
    let left = low
    let right = high
    while (left <= right) {
      while (compare(places[left]!, pivot) < 0) left++
      while (compare(places[right]!, pivot) > 0) right--
      if (left > right) break
      const moved = places[left]!
      places[left++] = places[right]!
      places[right--] = moved
    }
    if (at <= right) high = right
    else if (at >= left) low = left
    else return
  }
}
