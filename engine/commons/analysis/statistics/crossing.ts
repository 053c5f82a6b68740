const MAX_STEPS = 200
/** Relative width of the interval at which the search ends. */
const NARROW = 1e-12

/**
 * Returns where a continuous function crosses zero between two places at which its signs differ, by the method
 * of false position in the Illinois form, which halves the value at the end that does not move.
 */
export function crossingOf(valueAt: (place: number) => number, from: number, to: number): number {
  let [low, high] = [from, to]
  let [atLow, atHigh] = [valueAt(low), valueAt(high)]
  let moved = 0
  for (let step = 0; step < MAX_STEPS; step++) {
    if (Math.abs(high - low) <= NARROW * Math.max(Math.abs(low), Math.abs(high))) break
    const place = (low * atHigh - high * atLow) / (atHigh - atLow)
    const value = valueAt(place)
    if (value === 0) return place
    if (value < 0 === atLow < 0) {
      low = place
      atLow = value
      if (moved === -1) atHigh /= 2
      moved = -1
    } else {
      high = place
      atHigh = value
      if (moved === 1) atLow /= 2
      moved = 1
    }
  }
  return (low + high) / 2
}
