import { axisX, axisY, barX, dot, link, plot, ruleX, text } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'
import { SERIES_COLORS } from '../../parts/legend.ts'
import { legendMarks } from '../../parts/legend-marks.ts'

/** Number of changed and of tested cases, by name and cohort. */
export interface Share {
  readonly name: string
  readonly cohort: string
  readonly cases: number
  readonly tested: number
}

interface SharesChart {
  /** Width in CSS pixels. */
  readonly width: number
  /** Label of the axis. */
  readonly label: string
  readonly shares: readonly Share[]
  /** Returns the address to which a share leads. */
  readonly hrefOf: (share: Share) => string
  /** Names of cohorts in the order of their colours. */
  readonly cohorts: readonly string[]
}

export const shareOf = ({ cases, tested }: Pick<Share, 'cases' | 'tested'>) =>
  tested === 0 ? 0 : cases / tested

export const percent = (share: number) =>
  `${(share * 100).toLocaleString('en', { maximumFractionDigits: share < 0.1 ? 1 : 0 })} %`

const OTHER = 'var(--soft)'
const ROW = 22
const TOP = 20
const BOTTOM = 44
/** Approximate width of a letter in CSS pixels. */
const LETTER = 7

/** Draws one bar per name for one cohort, or one dot per cohort on the name's line. Names keep their order. */
export function sharesChart(chart: SharesChart): SVGSVGElement | HTMLElement {
  const { width, label, shares, cohorts, hrefOf } = chart
  const names = [...new Set(shares.map(({ name }) => name))]
  const longest = Math.max(...names.map((name) => name.length))
  const room = Math.min(longest * LETTER + 12, width * 0.34)
  const isCompared = cohorts.length > 1
  const marginRight = isCompared ? 24 : 92
  const legend = legendMarks(
    isCompared
      ? cohorts.map((name, place) => ({ name, color: SERIES_COLORS[place] ?? OTHER }))
      : [],
    { width: width - room - marginRight, marginTop: TOP },
  )
  return plot({
    width,
    height: names.length * ROW + TOP + BOTTOM + legend.height,
    marginTop: TOP + legend.height,
    marginBottom: BOTTOM,
    marginLeft: room,
    marginRight,
    ariaLabel: `${label} by name`,
    x: { label, grid: true, percent: true, domain: [0, highest(shares) * 100] },
    y: { label: null, domain: names },
    color: { domain: cohorts, range: cohorts.map((_, place) => SERIES_COLORS[place] ?? OTHER) },
    marks: [
      axisX({ anchor: 'bottom' }),
      axisY({ tickSize: 0, tickFormat: (name: string) => shortened(name, room) }),
      ...(isCompared ? dots(shares, names, hrefOf) : bars(shares, hrefOf)),
      ruleX([0]),
      ...legend.marks,
    ],
  })
}

const bars = (shares: readonly Share[], hrefOf: SharesChart['hrefOf']) => [
  barX(shares, {
    x: shareOf,
    y: 'name',
    fill: 'var(--series-1)',
    title: titleOf,
    href: hrefOf,
  }),
  text(shares, {
    x: shareOf,
    y: 'name',
    text: (share: Share) => `${percent(shareOf(share))} · ${share.cases.toLocaleString('en')}`,
    textAnchor: 'start',
    dx: 4,
  }),
]

const dots = (
  shares: readonly Share[],
  names: readonly string[],
  hrefOf: SharesChart['hrefOf'],
) => {
  const ranges = names.map((name) => {
    const own = shares.filter((share) => share.name === name).map(shareOf)
    return { name, from: Math.min(...own), to: Math.max(...own) }
  })
  return [
    link(ranges, {
      x1: 'from',
      x2: 'to',
      y1: 'name',
      y2: 'name',
      stroke: 'var(--line)',
      strokeWidth: 3,
    }),
    dot(shares, {
      x: shareOf,
      y: 'name',
      r: 5,
      fill: 'cohort',
      title: titleOf,
      href: hrefOf,
    }),
  ]
}

const titleOf = (share: Share) =>
  `${share.name}, ${share.cohort}: ${percent(shareOf(share))}, ${share.cases} of ${counted(share.tested, 'case')}`

/** Returns the end of the axis. It depends on the values: up to 100 %, rare changes would be invisible. */
const highest = (shares: readonly Share[]) =>
  Math.min(1, Math.max(0.01, ...shares.map(shareOf)) * 1.04)

function shortened(name: string, room: number): string {
  const longest = Math.floor(room / LETTER)
  return name.length > longest ? `${name.slice(0, longest - 1)}…` : name
}
