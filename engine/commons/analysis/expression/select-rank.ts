/** Partitions after which chance is not to blame, and sorting is the shorter way. */
const MAX_ROUNDS = 64

/**
 * Puts the value of a rank (from 0) of the first `count` values in its place, smaller ones before it
 * and greater ones behind it, and gives it. Not for NaN.
 */
export function selectRank<T extends Uint32Array | Float64Array>(
  values: T,
  count: number,
  rank: number,
): number {
  let low = 0
  let high = count - 1
  for (let round = 0; low < high; round++) {
    if (round === MAX_ROUNDS) {
      values.subarray(low, high + 1).sort()
      break
    }
    const pivot = middleOfThree(values, low, high)
    let i = low
    let j = high
    while (i <= j) {
      while (values[i]! < pivot) i++
      while (values[j]! > pivot) j--
      if (i > j) break
      const retained = values[i]!
      values[i] = values[j]!
      values[j] = retained
      i++
      j--
    }
    if (rank <= j) high = j
    else if (rank >= i) low = i
    else break
  }
  return values[rank]!
}

function middleOfThree(values: Uint32Array | Float64Array, low: number, high: number): number {
  const a = values[low]!
  const b = values[(low + high) >>> 1]!
  const c = values[high]!
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}
