/**
 * Adjusts p-values for multiple testing by the method of Benjamini and Hochberg (1995), as `p.adjust` of R
 * does: the false discovery rate among all that are as small. NaN is not a test and stays.
 */
export function adjustedPValues(pValues: Float64Array): Float64Array {
  const tested = Uint32Array.from(pValues.keys()).filter((i) => !Number.isNaN(pValues[i]!))
  const descending = tested.sort((a, b) => pValues[b]! - pValues[a]!)
  const adjusted = new Float64Array(pValues.length).fill(Number.NaN)
  let least = 1
  for (const [place, i] of descending.entries()) {
    const rank = descending.length - place
    least = Math.min(least, (descending.length / rank) * pValues[i]!)
    adjusted[i] = least
  }
  return adjusted
}
