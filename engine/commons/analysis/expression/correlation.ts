/** Returns Pearson's correlation (two-pass algorithm), or NaN if one of the variables is constant. */
export function pearson(first: Float64Array, second: Float64Array): number {
  if (isFlat(first) || isFlat(second)) return Number.NaN
  const { length } = first
  let [sumOfFirst, sumOfSecond] = [0, 0]
  for (let i = 0; i < length; i++) {
    sumOfFirst += first[i]!
    sumOfSecond += second[i]!
  }
  const [meanOfFirst, meanOfSecond] = [sumOfFirst / length, sumOfSecond / length]
  let [both, squares, otherSquares] = [0, 0, 0]
  for (let i = 0; i < length; i++) {
    const a = first[i]! - meanOfFirst
    const b = second[i]! - meanOfSecond
    both += a * b
    squares += a * a
    otherSquares += b * b
  }
  return Math.max(-1, Math.min(1, both / (Math.sqrt(squares) * Math.sqrt(otherSquares))))
}

/** Returns whether all values are equal. Exact, unlike a comparison of the variance with zero. */
function isFlat(values: Float64Array): boolean {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return false
  return true
}

/** Returns ranks from 1. Equal values share their mean rank. */
export function ranksOf(values: Float64Array): Float64Array {
  const sorted = values.toSorted()
  return values.map(
    (value) => (placeOf(value, sorted, 'first') + placeOf(value, sorted, 'behind') + 1) / 2,
  )
}

/** Returns the number of sorted values that are below the value (`first`), or at most the value (`behind`). */
function placeOf(value: number, sorted: Float64Array, which: 'first' | 'behind'): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const isBefore = which === 'first' ? sorted[middle]! < value : sorted[middle]! <= value
    if (isBefore) low = middle + 1
    else high = middle
  }
  return low
}
