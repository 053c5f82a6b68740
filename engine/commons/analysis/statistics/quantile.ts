/**
 * Returns a quantile of ascending numbers, interpolated like R's default (type 7), or null if there are none.
 * @param share 0 to 1, such as 0.5 for the median
 */
export function quantileOf(sorted: Float64Array, share: number): number | null {
  if (sorted.length === 0) return null
  const place = (sorted.length - 1) * share
  const below = Math.floor(place)
  const [low, high] = [sorted[below]!, sorted[Math.ceil(place)]!]
  return low + (place - below) * (high - low)
}
