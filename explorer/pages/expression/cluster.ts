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

/** Two clusters that are joined. They are side by side in the order. */
export interface Branch {
  /** First and last place in the order. */
  readonly from: number
  readonly to: number
  /** Distance of the two clusters, 1 - Pearson's r. */
  readonly height: number
  /** Middle of all places, as the mean of the middles of both parts. */
  readonly middle: number
  readonly parts: readonly [Part, Part]
}

interface Part {
  readonly middle: number
  /** Distance at which the part itself was joined, 0 for a single row. */
  readonly height: number
}

/** Rows in an order in which similar rows are adjacent, and the tree that gives the order. */
export interface Clustering {
  readonly order: readonly number[]
  /** All joins, each after those of its parts. Empty for fewer than three rows. */
  readonly branches: readonly Branch[]
}

/** A cluster at the time when it was joined. */
interface Joined {
  readonly row: number
  /** First row in the order, and number of rows. */
  readonly first: number
  readonly size: number
}

interface Join {
  readonly parts: readonly [Joined, Joined]
  readonly height: number
}

/**
 * Orders rows so that similar rows are adjacent. Uses average-linkage hierarchical clustering of 1 - Pearson's r
 * (UPGMA) with nearest-neighbour chains (Murtagh 1983). Of two clusters that are joined, the larger comes first.
 * Rows without variance have the maximum distance to all others. Takes quadratic time, and yields so that the
 * page stays responsive.
 * @throws the signal's reason
 */
export async function clusterRows(
  rows: readonly Float64Array[],
  signal: AbortSignal,
): Promise<Clustering> {
  const count = rows.length
  if (count < 3) return { order: rows.map((_, index) => index), branches: [] }
  const distances = await distancesOf(rows, signal)
  const leaves = rows.map((_, index) => [index])
  const joins: Join[] = []
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
  const order = leaves[whole] ?? []
  return { order, branches: branchesOf(order, joins) }

  function join(one: number, other: number): void {
    const mine = leaves[one] ?? []
    const others = leaves[other] ?? []
    const both = mine.length + others.length
    const own: Joined = { row: one, first: mine[0] ?? one, size: mine.length }
    const added: Joined = { row: other, first: others[0] ?? other, size: others.length }
    joins.push({
      parts: mine.length >= others.length ? [own, added] : [added, own],
      height: distances[one * count + other] ?? 0,
    })
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

function branchesOf(order: readonly number[], joins: readonly Join[]): readonly Branch[] {
  const places = new Map(order.map((row, place) => [row, place]))
  /** The latest branch that a row names. */
  const latest = new Map<number, Part>()
  return joins.map(({ parts: [left, right], height }) => {
    const from = places.get(left.first) ?? 0
    const partOf = ({ row, first }: Joined) =>
      latest.get(row) ?? { middle: places.get(first) ?? 0, height: 0 }
    const parts = [partOf(left), partOf(right)] as const
    const middle = (parts[0].middle + parts[1].middle) / 2
    // A join keeps the name of one of its rows; the other row names nothing from now on.
    latest.set(left.row, { middle, height })
    latest.set(right.row, { middle, height })
    return { from, to: from + left.size + right.size - 1, height, middle, parts }
  })
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
