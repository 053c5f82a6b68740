import { areaY, axisX, axisY, dot, line, plot, ruleY, text } from '@observablehq/plot'
import { atRiskOn, type Curve, stepRows } from './curves.ts'

interface SurvivalChart {
  readonly curves: readonly Curve[]
  /** Width in CSS pixels. */
  readonly width: number
}

const COLORS = [1, 2, 3, 4, 5, 6].map((series) => `var(--series-${series})`)
const DAYS_PER_YEAR = 365.25
/** Minimum distance between columns of numbers at risk. */
const COLUMN_PIXELS = 50
const LINE_PIXELS = 18

/** Draws curves with confidence bands and censoring ticks, and the numbers at risk below. */
export function survivalChart({ curves, width }: SurvivalChart): SVGSVGElement | HTMLElement {
  const rows = curves.flatMap(({ group, steps }) => [
    { group, years: 0, survival: 1, lower: 1, upper: 1, censored: 0 },
    ...steps.map((step) => ({ group, years: step.day / DAYS_PER_YEAR, ...step })),
  ])
  const lastYear = Math.max(1, ...rows.map(({ years }) => years))
  const columns = Math.max(2, Math.floor((width - 140) / COLUMN_PIXELS))
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
  const below = 60 + LINE_PIXELS * (curves.length + 1)
  const height = 320 + below
  const lowest = height - below + 58
  return plot({
    width,
    height,
    marginBottom: below,
    marginLeft: 110,
    marginRight: 24,
    ariaLabel: `Survival of ${curves.map(({ group }) => group).join(', ')}`,
    color: { domain: curves.map(({ group }) => group), range: COLORS },
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
        },
      ),
      line(rows, {
        x: 'years',
        y: 'survival',
        z: 'group',
        stroke: 'group',
        strokeWidth: 2,
        curve: 'step-after',
      }),
      dot(
        stepRows(curves).filter(({ censored }) => censored > 0),
        {
          x: ({ day }: { day: number }) => day / DAYS_PER_YEAR,
          y: 'survival',
          stroke: 'group',
          symbol: 'plus',
          r: 2.5,
        },
      ),
      text(['Number at risk'], {
        frameAnchor: 'bottom-left',
        textAnchor: 'start',
        fontWeight: 'bold',
        dx: -100,
        dy: lowest - (height - below),
      }),
      ...curves.map(({ group }, index) =>
        text([group], {
          frameAnchor: 'bottom-left',
          textAnchor: 'start',
          dx: -100,
          dy: lowest - (height - below) + LINE_PIXELS * (index + 1),
          text: (name: string) => (name.length > 14 ? `${name.slice(0, 13)}…` : name),
          fill: COLORS[index] ?? 'currentColor',
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
