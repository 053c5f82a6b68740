/** Pearson's correlation of as many pairs; NaN when one of both does not vary. Two passes. */
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

/** What is left of rounding would look like a variation. */
function isFlat(values: Float64Array): boolean {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return false
  return true
}

/** Ranks from 1; equal values share the mean of theirs. */
export function ranksOf(values: Float64Array): Float64Array {
  const sorted = values.toSorted()
  return values.map(
    (value) => (placeOf(value, sorted, 'first') + placeOf(value, sorted, 'behind') + 1) / 2,
  )
}

/** How many of ascending values are below one, or not above it. */
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
