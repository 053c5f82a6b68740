/**
 * Adjusts p-values for multiple testing by the Benjamini-Hochberg method (1995), like R's `p.adjust(p,
 * "BH")`. NaN entries are not counted as tests and stay NaN.
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
