import { axisFx, axisY, link, plot, rect, ruleY, text } from '@observablehq/plot'
import type { GroupSummary } from './groups.ts'

/** Sizes in CSS pixels. */
const GENE_HEIGHT = 170
const MARGIN_LEFT = 50
const MARGINS = 125
const ROOM_FOR_WORDS = 70
const INTERVALS = 24
/** Share of half a column for the widest interval. */
const WIDEST = 0.9

/**
 * Draws a row for each gene and a column for each group, like a violin plot: its width shows how many cells
 * have a value. Cells without expression would dominate; their number is given below.
 */
export function groupChart(
  width: number,
  genes: readonly (readonly GroupSummary[])[],
): SVGSVGElement | HTMLElement {
  const all = genes.flat()
  const length = Math.max(0, ...all.map(({ highest = 0 }) => highest)) / INTERVALS
  const rows = length === 0 ? [] : genes.flatMap((groups) => strips(groups, length))
  const groups = genes[0]?.map(({ group }) => group) ?? []
  const isNarrow = (width - MARGINS) / Math.max(1, groups.length) < ROOM_FOR_WORDS
  const place = { fx: 'group', fy: 'name' } as const
  return plot({
    width,
    height: GENE_HEIGHT * genes.length + 50,
    marginLeft: MARGIN_LEFT,
    marginRight: MARGINS - MARGIN_LEFT,
    marginBottom: 30,
    ariaLabel: `Strips of ${genes.flatMap(([first]) => first?.name ?? []).join(', ')} by group`,
    fx: { label: null, domain: groups, padding: 0.05 },
    fy: { label: null, padding: 0.16 },
    x: { axis: null, domain: [-1, 1] },
    y: { label: 'Number in the cell', grid: true, zero: true, nice: true },
    color: { domain: groups },
    marks: [
      axisFx({ anchor: 'top', label: null }),
      axisY({ ticks: 4 }),
      rect(rows, {
        ...place,
        x1: ({ half }: Strip) => -half,
        x2: 'half',
        y1: 'low',
        y2: 'high',
        fill: 'var(--series-1)',
        insetTop: 0.5,
      }),
      link(
        all.filter(({ median }) => median !== undefined),
        {
          ...place,
          x1: -WIDEST,
          x2: WIDEST,
          y1: 'median',
          y2: 'median',
          stroke: 'var(--text)',
          strokeWidth: 1.5,
        },
      ),
      ruleY([0]),
      text(all, {
        ...place,
        frameAnchor: 'bottom',
        dy: 14,
        text: ({ values, expressing }: GroupSummary) =>
          `${Math.round((100 * (values.length - expressing)) / Math.max(1, values.length))} %${isNarrow ? '' : ' zero'}`,
      }),
    ],
  })
}

/** The cells of a group with values in one interval. */
interface Strip {
  readonly name: string
  readonly group: string
  readonly low: number
  readonly high: number
  readonly half: number
}

/** Returns the strips of all groups of a gene, with a common scale: widths are fractions of each group's cells. */
function strips(groups: readonly GroupSummary[], length: number): readonly Strip[] {
  const parts = groups.flatMap(({ name, group, values }) => {
    const counts = new Float64Array(INTERVALS)
    for (const value of values) {
      if (value <= 0) continue
      const index = Math.min(INTERVALS - 1, Math.floor(value / length))
      counts[index] = (counts[index] ?? 0) + 1
    }
    return [...counts].flatMap((count, index) =>
      count === 0
        ? []
        : [
            {
              name,
              group,
              part: count / values.length,
              low: index * length,
              high: (index + 1) * length,
            },
          ],
    )
  })
  const most = Math.max(1e-9, ...parts.map(({ part }) => part))
  return parts.map(({ part, ...strip }) => ({ ...strip, half: (WIDEST * part) / most }))
}
