/** Number of partitioning steps after which the remaining values are sorted instead. */
const MAX_ROUNDS = 64

/**
 * Quickselect. Moves the value with a rank (from 0) among the first `count` values to its sorted position, with
 * smaller values before it and greater values after it, and returns it. Values must not be NaN.
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
