import { areaX, axisFx, axisY, link, plot, ruleY, text } from '@observablehq/plot'
import type { GroupSummary } from './groups.ts'
import { type Outline, outlinesOf } from './outline.ts'

/** Sizes in CSS pixels. */
const GENE_HEIGHT = 170
const MARGIN_LEFT = 50
const MARGINS = 125
const ROOM_FOR_WORDS = 70
/** Share of half a column for the widest interval. */
const WIDEST = 0.9

/**
 * Draws a violin for each gene and group of cells: its width shows how many cells have about that value. Cells without
 * expression would dominate; their share is given below. `by` is the annotation that has the groups.
 */
export function groupChart(
  width: number,
  genes: readonly (readonly GroupSummary[])[],
  by: string,
): SVGSVGElement | HTMLElement {
  const all = genes.flat()
  const highest = Math.max(0, ...all.map((one) => one.highest ?? 0))
  const outlines = genes.flatMap((groups) => outlinesOf(groups, highest, WIDEST))
  const groups = genes[0]?.map(({ group }) => group) ?? []
  const isNarrow = (width - MARGINS) / Math.max(1, groups.length) < ROOM_FOR_WORDS
  const place = { fx: 'group', fy: 'name' } as const
  return plot({
    width,
    height: GENE_HEIGHT * genes.length + 50,
    marginLeft: MARGIN_LEFT,
    marginRight: MARGINS - MARGIN_LEFT,
    marginBottom: 30,
    ariaLabel: `Violins of ${genes.flatMap(([first]) => first?.name ?? []).join(', ')} by group`,
    fx: { label: null, domain: groups, padding: 0.05 },
    fy: { label: null, padding: 0.16 },
    x: { axis: null, domain: [-1, 1] },
    y: { label: 'Number in the cell', grid: true, zero: true, nice: true },
    color: { domain: groups },
    marks: [
      axisFx({
        anchor: 'top',
        label: null,
        // A number alone would not tell what it is.
        tickFormat: (group: string) =>
          /^\d+$/.test(group) && !isNarrow ? `${by} ${group}` : group,
      }),
      axisY({ ticks: 4 }),
      areaX(outlines, {
        ...place,
        x1: ({ half }: Outline) => -half,
        x2: 'half',
        y: 'value',
        z: null,
        fill: 'var(--series-1)',
        stroke: 'var(--series-1)',
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
