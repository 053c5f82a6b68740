import { areaY, axisX, axisY, dot, line, plot, ruleY, text } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'
import { colorOf } from '../../parts/legend.ts'
import { atRiskOn, type Curve, stepRows } from './curves.ts'

interface SurvivalChart {
  readonly curves: readonly Curve[]
  /** Width in CSS pixels. */
  readonly width: number
  /** Returns the address of the cases of a curve. */
  readonly hrefOf: (curve: Curve) => string
}

/** Width of a line that fingers can hit, in CSS pixels. */
const TOUCHED = 14
/** Number of groups that are told apart by colour alone. The lines of the others are dashed, too. */
const SOLID = 6
const DASHES = '6 3'
const DAYS_PER_YEAR = 365.25
/** Minimum distance between columns of numbers at risk. */
const COLUMN_PIXELS = 50
const LINE_PIXELS = 18
/** Width of the names at the left, and of a letter, in CSS pixels. */
const MIN_NAMES = 110
const LETTER = 6.2

/** Draws curves with confidence bands and censoring ticks, and the numbers at risk below. */
export function survivalChart({
  curves,
  width,
  hrefOf,
}: SurvivalChart): SVGSVGElement | HTMLElement {
  const rows = curves.flatMap(({ group, steps }) => [
    { group, years: 0, survival: 1, lower: 1, upper: 1, censored: 0 },
    ...steps.map((step) => ({ group, years: step.day / DAYS_PER_YEAR, ...step })),
  ])
  const titles = new Map(curves.map((curve) => [curve.group, titleOf(curve)]))
  const doors = new Map(curves.map((curve) => [curve.group, hrefOf(curve)]))
  const lastYear = Math.max(1, ...rows.map(({ years }) => years))
  const names = Math.min(
    Math.max(MIN_NAMES, ...curves.map(({ group }) => LETTER * group.length + 24)),
    Math.max(MIN_NAMES, width / 4),
  )
  const letters = Math.floor((names - 16) / LETTER)
  const columns = Math.max(2, Math.floor((width - names - 30) / COLUMN_PIXELS))
  const stride = Math.max(1, Math.ceil(lastYear / columns))
  const years = Array.from({ length: Math.floor(lastYear / stride) + 1 }, (_, n) => n * stride)
  const table = curves.flatMap((curve, index) =>
    years.map((year) => ({
      year,
      line: index,
      group: curve.group,
      count: atRiskOn(curve, year * DAYS_PER_YEAR),
    })),
  )
  const dashed = new Set(curves.filter(({ index }) => index >= SOLID).map(({ group }) => group))
  const below = 60 + LINE_PIXELS * (curves.length + 1)
  const height = 320 + below
  const lowest = height - below + 58
  return plot({
    width,
    height,
    marginBottom: below,
    marginLeft: names,
    marginRight: 24,
    ariaLabel: `Survival of ${curves.map(({ group }) => group).join(', ')}`,
    color: {
      domain: curves.map(({ group }) => group),
      range: curves.map(({ index }) => colorOf(index)),
    },
    x: { domain: [0, lastYear], label: null },
    y: { domain: [0, 1], label: 'Survival', grid: true },
    marks: [
      axisX(years, {
        tickFormat: String,
        label: 'Years since diagnosis',
        labelAnchor: 'center',
        labelOffset: 36,
      }),
      axisY({ ticks: 5 }),
      ruleY([0]),
      areaY(
        rows.filter(({ lower, upper }) => lower !== undefined && upper !== undefined),
        {
          x: 'years',
          y1: 'lower',
          y2: 'upper',
          z: 'group',
          fill: 'group',
          fillOpacity: 0.15,
          curve: 'step-after',
          ariaHidden: 'true',
        },
      ),
      ...[false, true].map((isDashed) =>
        line(
          rows.filter(({ group }) => dashed.has(group) === isDashed),
          {
            x: 'years',
            y: 'survival',
            z: 'group',
            stroke: 'group',
            strokeWidth: 2,
            curve: 'step-after',
            ariaHidden: 'true',
            ...(isDashed && { strokeDasharray: DASHES }),
          },
        ),
      ),
      dot(
        stepRows(curves).filter(({ censored }) => censored > 0),
        {
          x: ({ day }: { day: number }) => day / DAYS_PER_YEAR,
          y: 'survival',
          stroke: 'group',
          symbol: 'plus',
          r: 2.5,
          ariaHidden: 'true',
        },
      ),
      line(rows, {
        x: 'years',
        y: 'survival',
        z: 'group',
        stroke: 'group',
        strokeWidth: TOUCHED,
        strokeOpacity: 0,
        curve: 'step-after',
        title: ({ group }: { readonly group: string }) => titles.get(group),
        href: ({ group }: { readonly group: string }) => doors.get(group),
      }),
      text(['Number at risk'], {
        frameAnchor: 'bottom-left',
        textAnchor: 'start',
        fontWeight: 'bold',
        dx: 10 - names,
        dy: lowest - (height - below),
      }),
      ...curves.map((curve, index) =>
        text([curve.group], {
          frameAnchor: 'bottom-left',
          textAnchor: 'start',
          dx: 10 - names,
          dy: lowest - (height - below) + LINE_PIXELS * (index + 1),
          text: (name: string) => (name.length > letters ? `${name.slice(0, letters - 1)}…` : name),
          fill: colorOf(curve.index),
        }),
      ),
      ...curves.map((_, index) =>
        text(
          table.filter(({ line: place }) => place === index),
          {
            x: 'year',
            frameAnchor: 'bottom',
            dy: lowest - (height - below) + LINE_PIXELS * (index + 1),
            text: ({ count }: { count: number }) => count.toLocaleString('en'),
          },
        ),
      ),
    ],
  })
}

function titleOf({ group, donors, steps }: Curve): string {
  const last = steps.at(-1)
  const end = last
    ? `, ${Math.round(100 * last.survival)} % after ${(last.day / DAYS_PER_YEAR).toFixed(1)} years`
    : ''
  return `${group}: ${counted(donors, 'case')} with a known time${end}`
}
