/** Returns how many elements of an ascending array are less than the limit. */
export function lowerBound(
  ascending: Uint32Array | Int32Array | Float64Array,
  limit: number,
): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ascending[middle]! < limit) low = middle + 1
    else high = middle
  }
  return low
}
