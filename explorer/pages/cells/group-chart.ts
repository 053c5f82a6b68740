import { areaX, axisFx, axisY, link, plot, ruleY, text } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'
import type { GroupSummary } from './groups.ts'
import { type Outline, outlinesOf } from './outline.ts'
import type { GeneSummary } from './summary.ts'

/** Sizes in CSS pixels. */
const GENE_HEIGHT = 170
const MARGIN_LEFT = 50
const MARGINS = 125
const ROOM_FOR_WORDS = 70
/** Share of half a column for the widest interval. */
const WIDEST = 0.9

interface GroupChart {
  /** Annotation that has the groups. */
  readonly by: string
  readonly hrefOf: (gene: GeneSummary) => string
}

/**
 * Draws a violin for each gene and group of cells: its width shows how many cells have about that value. Cells without
 * expression would dominate; their share is given below. A violin leads to its gene.
 */
export function groupChart(
  width: number,
  genes: readonly (readonly GroupSummary[])[],
  { by, hrefOf }: GroupChart,
): SVGSVGElement | HTMLElement {
  const all = genes.flat()
  const highest = Math.max(0, ...all.map((one) => one.highest ?? 0))
  const outlines = genes.flatMap((groups) => outlinesOf(groups, highest, WIDEST))
  const groups = genes[0]?.map(({ group }) => group) ?? []
  const isNarrow = (width - MARGINS) / Math.max(1, groups.length) < ROOM_FOR_WORDS
  const doors = new Map(
    all.map((one) => [placeName(one), { title: titleOf(one), href: hrefOf(one) }]),
  )
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
        title: (outline: Outline) => doors.get(placeName(outline))?.title,
        href: (outline: Outline) => doors.get(placeName(outline))?.href,
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

const placeName = ({ name, group }: { readonly name: string; readonly group: string }) =>
  `${name}\n${group}`

const titleOf = ({ name, group, values, expressing, median }: GroupSummary) =>
  `${name} in ${group}: ${expressing.toLocaleString('en')} of ${counted(values.length, 'cell')}${median === undefined ? '' : `, median of these ${median.toLocaleString('en', { maximumSignificantDigits: 4 })}`}`
