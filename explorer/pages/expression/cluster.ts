/**
 * The order of rows in which alike ones stand beside each other: hierarchical clustering by average
 * linkage over 1 - Pearson's r (UPGMA), by chains of nearest neighbours (Murtagh 1983). The larger
 * part of each join comes first. Rows without variance are as far from all as can be.
 */
export function clusterOrder(rows: readonly Float64Array[]): readonly number[] {
  const count = rows.length
  if (count < 3) return rows.map((_, index) => index)
  const distances = distancesOf(rows)
  const at = (one: number, other: number) => one * count + other
  const leaves = rows.map((_, index) => [index])
  const active = new Set(leaves.keys())
  const chain: number[] = []
  while (active.size > 1) {
    const [any = 0] = active
    if (chain.length === 0) chain.push(any)
    const last = chain.at(-1) ?? any
    const before = chain.at(-2)
    let nearest = before ?? -1
    let least = before === undefined ? Number.POSITIVE_INFINITY : (distances[at(last, before)] ?? 0)
    for (const other of active) {
      const distance = distances[at(last, other)] ?? 0
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
    for (const third of active) {
      const sum =
        (distances[at(one, third)] ?? 0) * mine.length +
        (distances[at(other, third)] ?? 0) * others.length
      const mean = sum / (mine.length + others.length)
      distances[at(one, third)] = mean
      distances[at(third, one)] = mean
    }
    leaves[one] = mine.length >= others.length ? [...mine, ...others] : [...others, ...mine]
    active.delete(other)
  }
}

/** 1 - r of each pair of rows; unknown values count as the row's mean. */
function distancesOf(rows: readonly Float64Array[]): Float64Array {
  const count = rows.length
  const standard = rows.map(standardised)
  const distances = new Float64Array(count * count)
  for (let one = 0; one < count; one++) {
    for (let other = one + 1; other < count; other++) {
      let product = 0
      const [left, right] = [standard[one], standard[other]]
      if (!left || !right) continue
      for (let place = 0; place < left.length; place++) {
        product += (left[place] ?? 0) * (right[place] ?? 0)
      }
      distances[one * count + other] = 1 - product
      distances[other * count + one] = 1 - product
    }
  }
  return distances
}

/** The row with mean 0 and length 1. */
function standardised(row: Float64Array): Float64Array {
  const known = row.filter((value) => !Number.isNaN(value))
  const mean = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length)
  const centred = row.map((value) => (Number.isNaN(value) ? 0 : value - mean))
  const length = Math.sqrt(centred.reduce((sum, value) => sum + value * value, 0))
  return length === 0 ? centred : centred.map((value) => value / length)
}
