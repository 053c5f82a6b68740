import { axisFy, axisX, barX, plot, ruleX } from '@observablehq/plot'
import { addLegend, colorOf, LEGEND_LINE, legendLines } from './legend.ts'

const LETTER = 6.5

/** The part of a category's cases with a value of something else. */
export interface PartRow {
  readonly group: string
  readonly value: string
  readonly part: string
  readonly cases: number
  /** Cases of the group with the category. */
  readonly of: number
  /** Ends of the bar, as fractions of `of`. */
  readonly start: number
  readonly end: number
}

interface PartsChart<Row extends PartRow> {
  /** Width in CSS pixels. */
  readonly width: number
  readonly rows: readonly Row[]
  /** Name of what is counted. By default, cases. */
  readonly counted?: string
  readonly groups: readonly string[]
  /** Values of the other variable in the order of their colours. */
  readonly parts: readonly string[]
  readonly title: string
  readonly hrefOf: (row: Row) => string
}

/** Draws a stacked bar for each category and group. */
export function partsChart<Row extends PartRow>(
  chart: PartsChart<Row>,
): SVGSVGElement | HTMLElement {
  const { width, counted = 'cases', rows, groups, parts, title, hrefOf } = chart
  const frame = rowsFrame(
    width,
    rows.map(({ value }) => value),
    groups,
    parts,
  )
  const drawn = plot({
    ...frame.options,
    ariaLabel: `${title} by category`,
    x: { label: `${title} (% of ${counted})`, grid: true, percent: true, domain: [0, 100] },
    marks: [
      ...frame.marks,
      barX(rows, {
        x1: 'start',
        x2: 'end',
        y: 'group',
        fy: 'value',
        fill: ({ part }: Row) => colorOf(parts.indexOf(part)),
        stroke: 'var(--raised)',
        strokeWidth: 0.7,
        title: (row: Row) =>
          `${row.value}${groups.length > 1 ? `, ${row.group}` : ''}, ${row.part}: ${row.cases} of ${row.of} ${counted}`,
        href: hrefOf,
      }),
      ruleX([0]),
    ],
  })
  return addLegend(drawn, parts, width)
}

/** Returns the frame of a figure with a row for each category, and a line in it for each group. */
export function rowsFrame(
  width: number,
  values: readonly string[],
  groups: readonly string[],
  legend: readonly string[] = groups.length > 1 ? groups : [],
) {
  const domain = [...new Set(values)]
  const isGrouped = groups.length > 1
  const longest = Math.max(1, ...domain.map((value) => value.length))
  const names = isGrouped && legend !== groups ? Math.max(...groups.map((one) => one.length)) : 0
  const room = Math.min(longest * LETTER + 14, width * 0.4)
  const letters = Math.floor((room - 12) / LETTER)
  const beside = names > 0 ? Math.min(names * LETTER + 8, width * 0.25) : 0
  const above = legend.length > 0 ? legendLines(legend, width) * LEGEND_LINE : 0
  const options = {
    width,
    height: domain.length * (18 * groups.length + 8) + 50 + above,
    marginTop: above + 8,
    marginLeft: room,
    marginRight: 24 + beside,
    marginBottom: 42,
    y: {
      domain: groups,
      label: null,
      padding: 0.1,
      ...(beside > 0
        ? {
            axis: 'right' as const,
            tickSize: 0,
            tickFormat: (name: string) => shortened(name, Math.floor(beside / LETTER)),
          }
        : { axis: null }),
    },
    fy: { domain, padding: 0.15 },
  }
  const marks = [
    axisFy({
      label: null,
      anchor: 'left',
      tickFormat: (value: string) => shortened(value, letters),
    }),
    axisX({ anchor: 'bottom', ticks: Math.max(3, Math.floor(width / 130)) }),
  ]
  return { options, marks }
}

const shortened = (text: string, letters: number) =>
  text.length > letters ? `${text.slice(0, Math.max(1, letters - 1))}…` : text
