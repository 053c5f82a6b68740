import { axisFy, axisX, barX, plot, ruleX } from '@observablehq/plot'
import type { Aggregation } from '../../cohort/count.ts'
import { inScaleOrder } from '../../facets/value-order.ts'
import { counted } from '../../parts/counted.ts'
import { addLegend, LEGEND_LINE, legendLines, SERIES_COLORS } from '../../parts/legend.ts'

/** Number of a cohort's cases with a value. */
export interface Share {
  readonly cohort: string
  /** Value as the service has it, or the start of an interval, and as it is shown. */
  readonly key: string
  readonly value: string
  readonly cases: number
  /** Fraction of all cases of the cohort. A case may have several values. */
  readonly share: number
}

/** Maximum number of values drawn. The table has all. */
const MAX_VALUES = 20

interface Counted {
  readonly name: string
  readonly total: number
  readonly aggregation: Aggregation | undefined
}

/** Returns the shares by value and group. Stages and grades are in their order, other values by their cases. */
export function sharesOf(cohorts: readonly Counted[], shown: (value: string) => string) {
  const values = new Map<string, number>()
  const counts = cohorts.map(({ aggregation }) => {
    const buckets = aggregation?.buckets ?? aggregation?.histogram?.buckets ?? []
    for (const { key, doc_count } of buckets) {
      if (key !== '_missing') values.set(key, (values.get(key) ?? 0) + doc_count)
    }
    return new Map(buckets.map(({ key, doc_count }) => [key, doc_count]))
  })
  const isHistogram = cohorts.some(({ aggregation }) => aggregation?.histogram)
  const ordered = [...values].toSorted(([one, many], [other, few]) =>
    isHistogram ? Number(one) - Number(other) : few - many,
  )
  return inScaleOrder(ordered, ([value]) => value).flatMap(([value]) =>
    cohorts.map(({ name, total }, index): Share => {
      const cases = counts[index]?.get(value) ?? 0
      const share = total === 0 ? 0 : cases / total
      return { cohort: name, key: value, value: shown(value), cases, share }
    }),
  )
}

interface SharesChart {
  readonly shares: readonly Share[]
  /** Names of the cohorts in the order of their colours. */
  readonly cohorts: readonly string[]
  readonly hrefOf: (share: Share) => string
}

/** Draws a bar per cohort for each value. Each leads to its cases. */
export function sharesChart(
  width: number,
  { shares, cohorts, hrefOf }: SharesChart,
): SVGSVGElement | HTMLElement {
  const values = [...new Set(shares.map(({ value }) => value))].slice(0, MAX_VALUES)
  const rows = shares.filter(({ value }) => values.includes(value))
  const room = Math.min(220, width * 0.4)
  const letters = Math.floor(room / 6.5)
  const above = legendLines(cohorts, width) * LEGEND_LINE
  const drawn = plot({
    width,
    height: values.length * (12 * cohorts.length + 8) + 50 + above,
    marginTop: above + 8,
    marginLeft: room,
    marginRight: 24,
    ariaLabel: `Parts of ${cohorts.join(', ')} by value`,
    x: { label: 'Part of the cohort (%)', grid: true, percent: true },
    y: { axis: null, domain: cohorts, padding: 0.1 },
    fy: { domain: values, padding: 0.15 },
    color: { domain: cohorts, range: SERIES_COLORS },
    marks: [
      axisFy({
        label: null,
        anchor: 'left',
        tickFormat: (value: string) =>
          value.length > letters ? `${value.slice(0, letters - 1)}…` : value,
      }),
      axisX({ anchor: 'bottom', ticks: Math.max(3, Math.floor(width / 130)) }),
      barX(rows, {
        x: 'share',
        y: 'cohort',
        fy: 'value',
        fill: 'cohort',
        title: ({ cohort, value, cases, share }: Share) =>
          `${value}, ${cohort}: ${counted(cases, 'case')} (${(100 * share).toPrecision(3)} %)`,
        href: hrefOf,
      }),
      ruleX([0]),
    ],
  })
  return addLegend(drawn, cohorts, width)
}
