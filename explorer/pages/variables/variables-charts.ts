import { barX, dot, plot, ruleY, tickX } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'
import { addLegend, colorOf, LEGEND_LINE, legendLines } from '../../parts/legend.ts'
import { rowsFrame } from '../../parts/parts-chart.ts'

/** A case in a scatter plot. */
export interface Spot {
  readonly caseId: string
  readonly group: string
  readonly x: number
  readonly y: number
}

interface ScatterChart {
  /** Width in CSS pixels. */
  readonly width: number
  readonly spots: readonly Spot[]
  /** Names of the groups in the order of their colours. */
  readonly groups: readonly string[]
  readonly titles: readonly [x: string, y: string]
  readonly hrefOf: (spot: Spot) => string
}

/** Draws a dot for each case, in the colour of its group. */
export function scatterChart(chart: ScatterChart): SVGSVGElement | HTMLElement {
  const { width, spots, groups, titles, hrefOf } = chart
  const above = groups.length > 1 ? legendLines(groups, width) * LEGEND_LINE : 0
  const [x, y] = titles
  const drawn = plot({
    width,
    height: 420 + above,
    marginTop: above + 24,
    marginLeft: 56,
    marginBottom: 44,
    inset: 8,
    ariaLabel: `${y} by ${x}`,
    x: { label: x, grid: true, tickFormat: plain },
    y: { label: y, grid: true, tickFormat: plain },
    marks: [
      dot(spots, {
        x: 'x',
        y: 'y',
        r: 3,
        fill: ({ group }: Spot) => colorOf(groups.indexOf(group)),
        fillOpacity: 0.6,
        title: ({ group, x: across, y: up }: Spot) =>
          `${groups.length > 1 ? `${group}: ` : ''}${x} ${shown(across)}, ${y} ${shown(up)}`,
        href: hrefOf,
      }),
    ],
  })
  return groups.length > 1 ? addLegend(drawn, groups, width) : drawn
}

/** The five numbers of a category in a group. */
export interface BoxRow {
  readonly group: string
  /** Value as the service has it, and as it is shown. */
  readonly key: string
  readonly value: string
  readonly cases: number
  readonly least: number
  readonly low: number
  readonly median: number
  readonly high: number
  readonly most: number
}

interface BoxesChart {
  readonly width: number
  readonly rows: readonly BoxRow[]
  readonly groups: readonly string[]
  /** Title of the number. */
  readonly title: string
  readonly hrefOf: (row: BoxRow) => string
}

/** Draws a box for each category and group, from the first to the third quartile, with whiskers to the ends. */
export function boxesChart(chart: BoxesChart): SVGSVGElement | HTMLElement {
  const { width, rows, groups, title, hrefOf } = chart
  const frame = rowsFrame(
    width,
    rows.map(({ value }) => value),
    groups,
  )
  const color = ({ group }: BoxRow) => colorOf(groups.indexOf(group))
  const place = { y: 'group', fy: 'value' }
  const drawn = plot({
    ...frame.options,
    ariaLabel: `${title} by category`,
    x: { label: title, grid: true, tickFormat: plain },
    marks: [
      ...frame.marks,
      ruleY(rows, { x1: 'least', x2: 'most', ...place, stroke: color, ariaHidden: 'true' }),
      barX(rows, {
        x1: 'low',
        x2: 'high',
        ...place,
        fill: color,
        fillOpacity: 0.4,
        stroke: color,
        insetTop: 2,
        insetBottom: 2,
        title: (row: BoxRow) =>
          `${row.value}${groups.length > 1 ? `, ${row.group}` : ''}: median ${shown(row.median)}, quartiles ${shown(row.low)} and ${shown(row.high)}, ${counted(row.cases, 'case')}`,
        href: hrefOf,
      }),
      tickX(rows, { x: 'median', ...place, stroke: 'currentColor', strokeWidth: 2 }),
    ],
  })
  return groups.length > 1 ? addLegend(drawn, groups, width) : drawn
}

const plain = (value: number) => String(value)

const shown = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 4 })
