/** Milliseconds of work before yielding, less than a frame. */
const SLICE = 10

/**
 * Yields to the event loop.
 * @throws the signal's reason if it has aborted
 */
async function takeTurns(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve))
  signal.throwIfAborted()
}

/**
 * Orders rows so that similar rows are adjacent. Uses average-linkage hierarchical clustering of 1 - Pearson's r
 * (UPGMA) with nearest-neighbour chains (Murtagh 1983). Of two clusters that are joined, the larger comes first.
 * Rows without variance have the maximum distance to all others. Takes quadratic time, and yields so that the
 * page stays responsive.
 * @throws the signal's reason
 */
export async function clusterOrder(
  rows: readonly Float64Array[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const count = rows.length
  if (count < 3) return rows.map((_, index) => index)
  const distances = await distancesOf(rows, signal)
  const leaves = rows.map((_, index) => [index])
  const active = new Set(leaves.keys())
  const chain: number[] = []
  let until = performance.now() + SLICE
  while (active.size > 1) {
    if (performance.now() > until) {
      await takeTurns(signal)
      until = performance.now() + SLICE
    }
    const [any = 0] = active
    if (chain.length === 0) chain.push(any)
    const last = chain.at(-1) ?? any
    const before = chain.at(-2)
    const own = distances.subarray(last * count, (last + 1) * count)
    let nearest = before ?? -1
    let least = before === undefined ? Number.POSITIVE_INFINITY : (own[before] ?? 0)
    for (const other of active) {
      const distance = own[other] ?? 0
      if (other !== last && distance < least) {
        nearest = other
        least = distance
      }
    }
    if (nearest !== before) {
      chain.push(nearest)
      continue
    }
    chain.length -= 2
    join(last, nearest)
  }
  const [whole = 0] = active
  return leaves[whole] ?? []

  function join(one: number, other: number): void {
    const mine = leaves[one] ?? []
    const others = leaves[other] ?? []
    const both = mine.length + others.length
    for (const third of active) {
      const sum =
        (distances[one * count + third] ?? 0) * mine.length +
        (distances[other * count + third] ?? 0) * others.length
      distances[one * count + third] = sum / both
      distances[third * count + one] = sum / both
    }
    leaves[one] = mine.length >= others.length ? [...mine, ...others] : [...others, ...mine]
    active.delete(other)
  }
}

/** Returns 1 - r for each pair of rows. Unknown values count as the row's mean. */
async function distancesOf(
  rows: readonly Float64Array[],
  signal: AbortSignal,
): Promise<Float64Array> {
  const count = rows.length
  const standard = rows.map(standardised)
  const distances = new Float64Array(count * count)
  let until = performance.now() + SLICE
  for (let one = 0; one < count; one++) {
    if (performance.now() > until) {
      await takeTurns(signal)
      until = performance.now() + SLICE
    }
    addDistances(one, standard, distances)
  }
  return distances
}

/** Adds the distances between one row and all later rows. */
function addDistances(
  one: number,
  standard: readonly Float64Array[],
  distances: Float64Array,
): void {
  const count = standard.length
  const left = standard[one]
  for (let other = one + 1; other < count; other++) {
    const right = standard[other]
    if (!left || !right) continue
    let product = 0
    for (let place = 0; place < left.length; place++) {
      product += (left[place] ?? 0) * (right[place] ?? 0)
    }
    distances[one * count + other] = 1 - product
    distances[other * count + one] = 1 - product
  }
}

/** Returns the row with mean 0 and length 1. */
function standardised(row: Float64Array): Float64Array {
  const known = row.filter((value) => !Number.isNaN(value))
  const mean = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length)
  const centred = row.map((value) => (Number.isNaN(value) ? 0 : value - mean))
  const length = Math.sqrt(centred.reduce((sum, value) => sum + value * value, 0))
  return length === 0 ? centred : centred.map((value) => value / length)
}
