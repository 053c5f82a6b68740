import { axisX, axisY, dot, plot, rect, ruleX, ruleY, text } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'
import { legendMarks } from '../../parts/legend-marks.ts'
import { CLASS_NAMES, MUTATION_CLASSES, type MutationClass } from './change-classes.ts'
import type { Extent } from './gene-facts.ts'

/** A mutation with its position. */
interface Placed {
  readonly name: string
  readonly at: number
  readonly cases: number
  readonly drawnAs: MutationClass
  /** Address of the mutation's page. */
  readonly href: string
}

interface PlacesChart {
  /** Width in CSS pixels. */
  readonly width: number
  /** Label of the axis. */
  readonly label: string
  readonly from: number
  readonly to: number
  readonly placed: readonly Placed[]
  /** Parts of the protein or gene, with their names. */
  readonly parts: readonly Part[]
}

/** A part of the protein or gene. */
interface Part extends Extent {
  readonly name: string
  /** Address of the cases with a mutation in it. */
  readonly href: string
}

const HEIGHT = 344
const LEFT = 44
const RIGHT = 24
const TOP = 40
const BOTTOM = 44
/** Number of mutations that get a label: the most frequent ones, if they occur in several cases. */
const NAMED = 8
/** Width of a letter in pixels, used to keep labels from overlapping. */
const LETTER = 7

/** Draws a lollipop plot: stems with the number of cases over the parts of the protein or gene. */
export function placesChart(chart: PlacesChart): SVGSVGElement | HTMLElement {
  const { width, label, from, to, placed, parts } = chart
  const most = Math.max(1, ...placed.map(({ cases }) => cases))
  // Parts are drawn below the axis.
  const [low, high] = [-0.16 * most, -0.05 * most]
  const named = namedOf(chart)
  const isAtAxis = ({ at }: Placed) => ((at - from) / (to - from)) * width < 5 * LETTER
  const ordered = placed.toSorted((one, other) => one.cases - other.cases)
  const legend = legendMarks(
    MUTATION_CLASSES.map((name) => ({ name: CLASS_NAMES[name], color: `var(--${name})` })),
    { width: width - LEFT - RIGHT, marginTop: TOP },
  )
  return plot({
    width,
    height: HEIGHT + legend.height,
    marginBottom: BOTTOM,
    marginLeft: LEFT,
    marginRight: RIGHT,
    marginTop: TOP + legend.height,
    ariaLabel: `Places of ${counted(placed.length, 'mutation')}`,
    x: { label, domain: [from, to] },
    y: { label: null, domain: [low, most], ticks: wholeTicks(most), tickFormat: 'd' },
    color: {
      domain: MUTATION_CLASSES.map((name) => CLASS_NAMES[name]),
      range: MUTATION_CLASSES.map((name) => `var(--${name})`),
    },
    marks: [
      axisX({ anchor: 'bottom' }),
      text(['Cases'], { frameAnchor: 'top-left', textAnchor: 'start', dx: 8 - LEFT, dy: -31 }),
      axisY({ anchor: 'left', label: null, ticks: wholeTicks(most), tickFormat: 'd' }),
      rect([0], {
        x1: from,
        x2: to,
        y1: (low + high) / 2 - 0.008 * most,
        y2: (low + high) / 2 + 0.008 * most,
        fill: 'var(--line)',
      }),
      rect(parts, {
        x1: 'start',
        x2: 'end',
        y1: low,
        y2: high,
        fill: 'var(--series-4)',
        fillOpacity: 0.5,
        title: ({ name, start, end }: Part) => `${name}, ${start} to ${end}`,
        href: 'href',
      }),
      text(parts, { x: middle, y: (low + high) / 2, text: shown(chart) }),
      ruleX(ordered, { x: 'at', y1: 0, y2: 'cases', stroke: 'var(--line)' }),
      dot(ordered, {
        x: 'at',
        y: 'cases',
        r: 4,
        stroke: 'var(--raised)',
        strokeWidth: 0.7,
        fill: ({ drawnAs }: Placed) => CLASS_NAMES[drawnAs],
        title: ({ name, cases }: Placed) => `${name}: ${counted(cases, 'case')}`,
        href: 'href',
      }),
      text(
        named.filter((one) => !isAtAxis(one)),
        { x: 'at', y: 'cases', text: 'name', dy: -11 },
      ),
      // Left-aligned, because centred labels would overlap the axis.
      text(named.filter(isAtAxis), {
        x: 'at',
        y: 'cases',
        text: 'name',
        dy: -11,
        textAnchor: 'start',
        dx: -4,
      }),
      ruleY([0], { stroke: 'var(--soft)' }),
      ...legend.marks,
    ],
  })
}

const middle = ({ start, end }: Extent) => (start + end) / 2

/** Returns integer ticks, because cases are whole. */
function wholeTicks(most: number): number[] {
  const step = Math.max(1, Math.ceil(most / 5))
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step)
}

/** Returns a function for the label of a part. It is empty if there is too little space. */
const shown =
  ({ width, from, to }: PlacesChart) =>
  ({ start, end, name }: Part) =>
    ((end - start) / (to - from)) * width > name.length * LETTER ? name : ''

/** Returns the most frequent mutations, leaving out those whose labels would overlap others. */
function namedOf({ width, from, to, placed }: PlacesChart): readonly Placed[] {
  const pixels = (at: number) => ((at - from) / (to - from)) * width
  const chosen: Placed[] = []
  for (const one of placed.toSorted((a, b) => b.cases - a.cases)) {
    if (chosen.length === NAMED || one.cases < 2) break
    const isFree = chosen.every(
      (other) =>
        Math.abs(pixels(other.at) - pixels(one.at)) >
        ((one.name.length + other.name.length) / 2) * LETTER,
    )
    if (isFree) chosen.push(one)
  }
  return chosen
}
