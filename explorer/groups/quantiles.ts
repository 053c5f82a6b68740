/**
 * Returns a quantile as R's `quantile` with its default type 7 does. NaN without values.
 * @param sorted values in ascending order
 * @param share from 0 to 1
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const place = (sorted.length - 1) * share
  const below = Math.floor(place)
  const [low = Number.NaN, high = low] = [sorted[below], sorted[below + 1]]
  return low + (place - below) * (high - low)
}

/** Returns the cuts between quantiles of equal size. Equal cuts are returned once. */
export function quantileCuts(values: readonly number[], parts: number): readonly number[] {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) return []
  const cuts = Array.from({ length: parts - 1 }, (_, index) =>
    quantile(sorted, (index + 1) / parts),
  )
  return [...new Set(cuts)]
}

/** Returns the index of the range of a value. A cut belongs to the range below it, as in R's `cut`. */
export function rangeOf(value: number, cuts: readonly number[]): number {
  const index = cuts.findIndex((cut) => value <= cut)
  return index < 0 ? cuts.length : index
}
