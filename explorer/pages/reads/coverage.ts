import { areaY, axisX, axisY, plot, rectY, ruleY } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'
import type { AlignedRead } from './bam.ts'
import { lengthOf, type Region } from './region.ts'

/** Depth over an interval, 1-based and inclusive. */
export interface Depth {
  readonly start: number
  readonly end: number
  readonly mean: number
  readonly highest: number
}

/** Flags of reads that `samtools depth` ignores: unmapped, secondary, failed, duplicate. */
const LEFT_OUT = 0x4 | 0x100 | 0x200 | 0x400
/** Number of intervals. On a wide screen, an interval is two pixels wide. */
const STRETCHES = 500

/** Returns the depth of each base in the region. Deleted bases do not count. */
export function depthsOf(reads: readonly AlignedRead[], region: Region): Uint32Array {
  const changes = new Int32Array(lengthOf(region) + 1)
  for (const { flags, covered } of reads) {
    if (flags & LEFT_OUT) continue
    for (const [from, to] of covered) {
      const start = Math.max(from, region.start) - region.start
      const end = Math.min(to, region.end) - region.start
      if (end < start) continue
      changes[start] = (changes[start] ?? 0) + 1
      changes[end + 1] = (changes[end + 1] ?? 0) - 1
    }
  }
  const depths = new Uint32Array(lengthOf(region))
  let depth = 0
  for (const index of depths.keys()) {
    depth += changes[index] ?? 0
    depths[index] = depth
  }
  return depths
}

/** Summarizes depths in intervals of equal length. */
export function stretchesOf(depths: Uint32Array, { start }: Region): readonly Depth[] {
  const length = Math.max(1, Math.ceil(depths.length / STRETCHES))
  return Array.from({ length: Math.ceil(depths.length / length) }, (_, index) => {
    const part = depths.subarray(index * length, (index + 1) * length)
    const first = start + index * length
    return {
      start: first,
      end: first + part.length - 1,
      mean: part.reduce((sum, depth) => sum + depth, 0) / part.length,
      highest: part.reduce((most, depth) => Math.max(most, depth), 0),
    }
  })
}

/** Returns the address of the bases around an interval. Undefined if no fewer bases can be shown. */
type HrefOf = (stretch: Depth) => string | undefined

/**
 * Draws the mean depth along the region as steps, with a light area up to the maximum. Each interval leads to the
 * bases around it.
 */
export function coverageChart(
  width: number,
  stretches: readonly Depth[],
  { reference, hrefOf }: { readonly reference: string; readonly hrefOf: HrefOf },
): SVGSVGElement | HTMLElement {
  const last = stretches.at(-1)
  const steps = [
    ...stretches.map(({ start, mean, highest }) => ({ place: start, mean, highest })),
    ...(last ? [{ place: last.end + 1, mean: last.mean, highest: last.highest }] : []),
  ]
  const step = {
    x: 'place',
    fill: 'var(--series-1)',
    curve: 'step-after',
    ariaHidden: 'true',
  } as const
  return plot({
    width,
    height: 190,
    marginLeft: 50,
    marginRight: 40,
    marginBottom: 40,
    ariaLabel: `Depth along ${reference}`,
    x: { label: `Place on ${reference}` },
    y: { label: 'Reads', grid: true, nice: true },
    marks: [
      areaY(steps, { ...step, y: 'highest', fillOpacity: 0.3 }),
      areaY(steps, { ...step, y: 'mean' }),
      axisX({
        ticks: Math.max(2, Math.floor(width / 150)),
        tickFormat: (place: number) => place.toLocaleString('en'),
        labelAnchor: 'center',
      }),
      axisY({ ticks: 4 }),
      ruleY([0]),
      rectY(stretches, {
        x1: 'start',
        x2: ({ end }: Depth) => end + 1,
        y: 'highest',
        fill: 'currentColor',
        fillOpacity: 0,
        title: titleOf,
        href: hrefOf,
      }),
    ],
  })
}

function titleOf({ start, end, mean, highest }: Depth): string {
  const count = (value: number) => value.toLocaleString('en')
  if (start === end) return `${count(start)}: ${counted(highest, 'read')}`
  return `${count(start)} to ${count(end)}: ${mean.toFixed(1)} reads on average, at most ${count(highest)}`
}
