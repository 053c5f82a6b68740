import { axisX, axisY, plot, rect, ruleX, ruleY, text } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'
import { addLegend, LEGEND_LINE } from '../../parts/legend.ts'
import { type Extent, type GenomeBin, type SegmentsAnswer, shareOf } from './genome.ts'

const COLORS = ['var(--series-1)', 'var(--series-2)']
const NAMES = ['Gain', 'Loss']
const colorOf = (isGain: boolean) => COLORS[isGain ? 0 : 1] ?? ''
/** Sizes in CSS pixels. */
const ROW = 130
const TRACK = 16
const ABOVE = LEGEND_LINE + 22
/** Narrowest chromosome whose name is written. */
const NAMED = 14

/** A bar of a bin, up for gains and down for losses. */
export interface GenomeBar extends GenomeBin {
  readonly isGain: boolean
  readonly share: number
  readonly cases: number
}

/**
 * Draws the shares of cases with gains (up) and losses (down) along the genome, a row for each group. Each leads to
 * its cases.
 */
export function genomeChart(
  bins: readonly GenomeBin[],
  extents: readonly Extent[],
  { width, hrefOf }: { readonly width: number; readonly hrefOf: (bar: GenomeBar) => string },
): SVGSVGElement | HTMLElement {
  const groups = [...new Set(bins.map(({ group }) => group))]
  const bars = bins.flatMap((bin): readonly GenomeBar[] => [
    { ...bin, isGain: true, share: shareOf(bin.gains, bin.tested), cases: bin.gains },
    { ...bin, isGain: false, share: -shareOf(bin.losses, bin.tested), cases: bin.losses },
  ])
  const drawn = plot({
    width,
    height: ABOVE + 48 + groups.length * (ROW + 22),
    marginTop: ABOVE,
    marginBottom: 42,
    marginLeft: 52,
    marginRight: 8,
    ariaLabel: `Copy-number gains and losses of ${groups.join(', ')} along the genome`,
    x: { domain: [0, extents.at(-1)?.to ?? 1] },
    y: { percent: true, grid: true },
    fy: { axis: null, domain: groups, padding: 22 / (ROW + 22) },
    marks: [
      text(groups, {
        fy: (name) => name,
        text: (name) => name,
        frameAnchor: 'top-left',
        dy: -16,
        fontWeight: 'bold',
      }),
      axisY({ ticks: 5, label: null, tickFormat: (share: number) => `${Math.abs(share)} %` }),
      ...chromosomeMarks(extents, width),
      rect(
        bars.filter(({ cases }) => cases > 0),
        {
          x1: 'from',
          x2: 'to',
          y1: 0,
          y2: 'share',
          fy: 'group',
          fill: ({ isGain }: GenomeBar) => colorOf(isGain),
          title: (one: GenomeBar) =>
            `${one.group}, chromosome ${one.chromosome}: ${one.start.toLocaleString('en')} to ${one.end.toLocaleString('en')}: ${one.isGain ? 'gain' : 'loss'} in ${one.cases} of ${counted(one.tested, 'case')}`,
          href: hrefOf,
        },
      ),
      ruleY([0]),
    ],
  })
  return addLegend(drawn, NAMES, width)
}

/** Draws the segments of the most changed cases, a row for each. */
export function tracksChart(
  { cases }: Pick<SegmentsAnswer, 'cases'>,
  extents: readonly Extent[],
  { width, hrefOf }: { readonly width: number; readonly hrefOf: (caseId: string) => string },
): SVGSVGElement | HTMLElement {
  const before = new Map(extents.map(({ name, from }) => [name, from]))
  const bars = cases.flatMap(({ case_id: id, submitter_id: name, segments }) =>
    segments.map((one) => ({
      ...one,
      id,
      name: name ?? id,
      from: (before.get(one.chromosome) ?? 0) + one.start - 1,
      to: (before.get(one.chromosome) ?? 0) + one.end,
    })),
  )
  const names = cases.map(({ case_id: id, submitter_id: name }) => name ?? id)
  const drawn = plot({
    width,
    height: ABOVE + 42 + TRACK * names.length,
    marginTop: ABOVE - 14,
    marginBottom: 42,
    marginLeft: Math.min(150, width / 3),
    marginRight: 8,
    ariaLabel: `Segments of ${counted(names.length, 'case')}`,
    x: { domain: [0, extents.at(-1)?.to ?? 1] },
    y: { type: 'band', domain: names, padding: 0.2 },
    marks: [
      axisY({ label: null, tickSize: 0 }),
      ...chromosomeMarks(extents, width),
      rect(bars, {
        x1: 'from',
        x2: 'to',
        y: 'name',
        fill: ({ direction }: { direction: string }) => colorOf(direction === 'gain'),
        href: ({ id }: { id: string }) => hrefOf(id),
        title: (one: (typeof bars)[number]) =>
          `${one.name}, chromosome ${one.chromosome}: ${one.start.toLocaleString('en')} to ${one.end.toLocaleString('en')}: ${one.change}`,
      }),
    ],
  })
  return addLegend(drawn, NAMES, width)
}

/** Marks the ends of chromosomes, and names those that have room. */
function chromosomeMarks(extents: readonly Extent[], width: number) {
  const bases = (extents.at(-1)?.to ?? 1) / Math.max(1, width - 60)
  const named = extents.filter(({ from, to }) => (to - from) / bases >= NAMED)
  const names = new Map(named.map(({ name, from, to }) => [(from + to) / 2, name]))
  return [
    ruleX(
      extents.map(({ to }) => to),
      { stroke: 'currentColor', strokeOpacity: 0.15 },
    ),
    axisX([...names.keys()], {
      tickSize: 0,
      label: 'Chromosome',
      tickFormat: (middle: number) => names.get(middle) ?? '',
    }),
  ]
}
