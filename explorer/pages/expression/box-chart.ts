import { barY, dot, plot, ruleX, tickY } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'
import { colorOf } from '../../parts/legend.ts'
import { type Box, boxOf, type Grouped } from './boxes.ts'

interface BoxChart {
  readonly symbol: string
  readonly rows: readonly Grouped[]
  /** Names of the groups in the order of their colours. */
  readonly groups: readonly string[]
  /** Returns the address of the cases of a group. */
  readonly groupHref: (group: string) => string
  /** Returns the address of a case. */
  readonly caseHref: (row: Grouped) => string
}

const LONGEST_NAME = 24
/** Width of a box with its space, in CSS pixels. */
const WIDEST_BOX = 140

/** Draws a box for each group, which opens its cases, and a dot for each case beyond the whiskers. */
export function boxChart(
  width: number,
  { symbol, rows, groups, groupHref, caseHref }: BoxChart,
): SVGSVGElement | HTMLElement {
  const boxes = groups.flatMap((group) =>
    boxOf(
      group,
      rows.filter((row) => row.group === group),
    ),
  )
  const color = ({ group }: { readonly group: string }) => colorOf(groups.indexOf(group))
  return plot({
    // Few boxes on the whole width would be bars.
    width: Math.min(width, 130 + WIDEST_BOX * groups.length),
    height: 420,
    marginBottom: 130,
    marginLeft: 90,
    ariaLabel: `Box plots of ${symbol}`,
    x: { domain: groups, label: null, tickRotate: -35, tickFormat: shortened },
    y: { label: `${symbol}, log2(uqfpkm + 1)`, grid: true },
    marks: [
      ruleX(boxes, { x: 'group', y1: 'low', y2: 'high', stroke: color, ariaHidden: 'true' }),
      barY(boxes, {
        x: 'group',
        y1: 'first',
        y2: 'third',
        fill: color,
        fillOpacity: 0.35,
        title: ({ group, cases, first, median, third }: Box) =>
          `${group}: median ${shown(median)}, quartiles ${shown(first)} and ${shown(third)}, ${counted(cases, 'case')} with a value`,
        href: ({ group }: Box) => groupHref(group),
      }),
      tickY(boxes, { x: 'group', y: 'median', stroke: color, strokeWidth: 2, ariaHidden: 'true' }),
      dot(
        boxes.flatMap(({ beyond }) => beyond),
        {
          x: 'group',
          y: 'value',
          stroke: color,
          fill: 'var(--raised)',
          title: ({ caseId, group, value }: Grouped) => `${caseId}, ${group}: ${shown(value)}`,
          href: caseHref,
        },
      ),
    ],
  })
}

const shown = (value: number) => value.toFixed(2)

const shortened = (name: string) =>
  name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name
