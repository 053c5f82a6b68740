/**
 * Returns the cuts between quantiles of equal size, as R's `quantile` with its default type 7 does. Equal cuts
 * are returned once.
 */
export function quantileCuts(values: readonly number[], parts: number): readonly number[] {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) return []
  const cuts = Array.from({ length: parts - 1 }, (_, index) => {
    const place = ((sorted.length - 1) * (index + 1)) / parts
    const below = Math.floor(place)
    const [low = 0, high = low] = [sorted[below], sorted[below + 1]]
    return low + (place - below) * (high - low)
  })
  return [...new Set(cuts)]
}

/** Returns the index of the range of a value. A cut belongs to the range below it, as in R's `cut`. */
export function rangeOf(value: number, cuts: readonly number[]): number {
  const index = cuts.findIndex((cut) => value <= cut)
  return index < 0 ? cuts.length : index
}
