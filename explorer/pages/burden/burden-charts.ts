import { axisX, axisY, dot, plot, ruleX, ruleY } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'
import { colorOf } from '../../parts/legend.ts'

/** A case among those of its group, in ascending order of mutations. */
export interface BurdenSpot {
  readonly caseId: string
  readonly name: string
  readonly group: string
  readonly mutations: number
  /** Position among the tested cases of the group, from 0 to 1. */
  readonly rank: number
}

interface BurdenChart {
  /** Width in CSS pixels. */
  readonly width: number
  readonly spots: readonly BurdenSpot[]
  /** Groups with the places of their colours. */
  readonly groups: readonly {
    readonly name: string
    readonly color: number
    readonly median: number
  }[]
  readonly hrefOf: (spot: BurdenSpot) => string
}

/** Highest ratio of the most to the fewest mutations on a linear axis. */
const MAX_LINEAR = 30
const LETTER = 6.5

/** Draws the cases of each group side by side, in ascending order, with the median of the group as a line. */
export function burdenChart({ width, spots, groups, hrefOf }: BurdenChart) {
  const most = Math.max(1, ...spots.map(({ mutations }) => mutations))
  const isLog = most > MAX_LINEAR * Math.max(1, Math.min(...groups.map(({ median }) => median)))
  const place = new Map(groups.map(({ name }, index) => [name, index]))
  const colors = new Map(groups.map(({ name, color }) => [name, colorOf(color)]))
  // No logarithm is known of a case without mutations: it stands where one of half a mutation would.
  const high = (mutations: number) => (isLog ? Math.max(0.5, mutations) : mutations)
  const inset = 0.06
  const across = ({ group, rank }: BurdenSpot) =>
    (place.get(group) ?? 0) + inset + rank * (1 - 2 * inset)
  const letters = Math.max(3, Math.floor((width - 70) / groups.length / LETTER))
  const isTurned = groups.some(({ name }) => name.length > letters)
  const longest = Math.max(...groups.map(({ name }) => Math.min(name.length, 24)))
  return plot({
    width,
    height: 380 + (isTurned ? longest * 4.5 : 0),
    marginLeft: 56,
    marginBottom: isTurned ? 30 + longest * 4.5 : 36,
    ariaLabel: 'Simple mutations of each case by group',
    x: { domain: [0, groups.length], label: null },
    y: {
      label: 'Simple mutations',
      grid: true,
      type: isLog ? 'log' : 'linear',
      domain: isLog ? [0.5, most] : [0, most],
      nice: true,
    },
    marks: [
      axisX(
        groups.map((_, index) => index + 0.5),
        {
          tickFormat: (at: number) => shortened(groups[Math.floor(at)]?.name ?? '', 24),
          tickSize: 0,
          ...(isTurned && { tickRotate: -35 }),
        },
      ),
      axisY({ anchor: 'left', label: null, tickFormat: (value: number) => String(value) }),
      ruleX(
        groups.slice(1).map((_, index) => index + 1),
        { stroke: 'var(--line)' },
      ),
      dot(spots, {
        x: across,
        y: ({ mutations }: BurdenSpot) => high(mutations),
        r: 2.5,
        fill: ({ group }: BurdenSpot) => colors.get(group) ?? 'currentColor',
        fillOpacity: 0.7,
        title: ({ name, group, mutations }: BurdenSpot) =>
          `${name}, ${group}: ${counted(mutations, 'mutation')}`,
        href: hrefOf,
      }),
      ruleY(groups, {
        x1: ({ name }: { name: string }) => (place.get(name) ?? 0) + inset,
        x2: ({ name }: { name: string }) => (place.get(name) ?? 0) + 1 - inset,
        y: ({ median }: { median: number }) => high(median),
        stroke: 'var(--text)',
        strokeWidth: 2,
      }),
    ],
  })
}

const shortened = (text: string, letters: number) =>
  text.length > letters ? `${text.slice(0, letters - 1)}…` : text
