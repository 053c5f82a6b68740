import { quantileCuts } from '../../groups/quantiles.ts'
import type { GroupSummary } from './groups.ts'

/** A point of a violin's outline: half its width at a value. */
export interface Outline {
  readonly name: string
  readonly group: string
  readonly value: number
  readonly half: number
}

/** Number of intervals from zero to the highest value. */
const INTERVALS = 96
/** Smallest bandwidth, as a part of the highest value. With less, a few equal numbers would be wider than all else. */
const LEAST = 1 / 24
/** The kernel is cut off at this many bandwidths. */
const REACH = 4

/**
 * Returns the violins of a gene, one per group with expressing cells: densities of the values above zero by a Gaussian
 * kernel, whose bandwidth is that of R's `bw.nrd0` over all groups. Each is weighted by the part of the group's cells that express the gene,
 * so that widths compare between groups. The widest place of all has half the width `widest`.
 */
export function outlinesOf(
  groups: readonly GroupSummary[],
  highest: number,
  widest: number,
): readonly Outline[] {
  if (highest <= 0) return []
  const step = highest / INTERVALS
  const all = groups.flatMap(({ values }) => [...values.filter((value) => value > 0)])
  const bandwidth = Math.max(bandwidthOf(Float64Array.from(all).sort()), LEAST * highest)
  const points = groups.flatMap(({ name, group, values }) => {
    const above = values.filter((value) => value > 0).toSorted()
    const [low = 0, high = 0] = [above[0], above.at(-1)]
    const counts = new Float64Array(INTERVALS + 1)
    for (const value of above) {
      const at = Math.round(value / step)
      counts[at] = (counts[at] ?? 0) + 1
    }
    return [...counts.keys()].flatMap((index) => {
      const value = index * step
      if (above.length === 0 || value < low - bandwidth || value > high + bandwidth) return []
      const density = kernelSum(counts, index, bandwidth / step) / (bandwidth * values.length)
      return [{ name, group, value, density }]
    })
  })
  const most = Math.max(Number.MIN_VALUE, ...points.map(({ density }) => density))
  return points.map(({ density, ...point }) => ({ ...point, half: (widest * density) / most }))
}

/** Sums the kernel around one place over all counts. The bandwidth is in intervals. */
function kernelSum(counts: Float64Array, index: number, bandwidth: number): number {
  const reach = Math.ceil(REACH * bandwidth)
  let sum = 0
  for (let at = Math.max(0, index - reach); at <= index + reach; at++) {
    sum += (counts[at] ?? 0) * Math.exp(-0.5 * ((at - index) / bandwidth) ** 2)
  }
  return sum
}

/** Returns Silverman's bandwidth of sorted values, as R's `bw.nrd0`. It is 0 for fewer than two values. */
export function bandwidthOf(sorted: Float64Array): number {
  const count = sorted.length
  if (count < 2) return 0
  const mean = sorted.reduce((sum, value) => sum + value, 0) / count
  const deviation = Math.sqrt(
    sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1),
  )
  const quartiles = quantileCuts([...sorted], 4)
  const range = (quartiles.at(-1) ?? 0) - (quartiles[0] ?? 0)
  const spread = Math.min(deviation, range / 1.34) || deviation || Math.abs(sorted[0] ?? 0) || 1
  return 0.9 * spread * count ** -0.2
}
