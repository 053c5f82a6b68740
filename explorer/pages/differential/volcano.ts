import { dot, plot, ruleX, ruleY, text } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'
import { shownP } from '../../parts/shown-p.ts'

/** Data of a gene's dot. */
interface VolcanoGene {
  readonly name: string
  readonly change: number
  readonly pValue: number
  readonly adjusted: number
  /** Address of the gene. */
  readonly href: string
}

/** Thresholds beyond which a gene counts as different. */
export const MIN_CHANGE = 1
export const MAX_ADJUSTED = 0.05

const HEIGHT = 440
const NAMED = 12
/** Probabilities that underflow to 0 are drawn here. */
const LEAST_P = 1e-300

/** Draws a volcano plot: fold change on the x axis, significance on the y axis. */
export function volcano(width: number, genes: readonly VolcanoGene[]): SVGSVGElement | HTMLElement {
  const rows = genes.map((gene) => ({ ...gene, sure: -Math.log10(Math.max(LEAST_P, gene.pValue)) }))
  const differing = rows.filter(isDifferent)
  return plot({
    width,
    height: HEIGHT,
    marginLeft: 56,
    marginTop: 34,
    marginBottom: 42,
    inset: 14,
    ariaLabel: `Volcano plot of ${counted(genes.length, 'gene')}, of which ${differing.length} differ`,
    x: { label: 'log2 fold change', grid: true },
    y: { label: '−log10 p', grid: true },
    marks: [
      dot(sparse(rows.filter((row) => !isDifferent(row))), {
        x: 'change',
        y: 'sure',
        r: 2,
        fill: 'var(--soft)',
        fillOpacity: 0.5,
        ...door,
      }),
      dot(differing, {
        x: 'change',
        y: 'sure',
        r: 3,
        fill: ({ change }: VolcanoGene) => (change > 0 ? 'var(--series-2)' : 'var(--series-1)'),
        ...door,
      }),
      text(differing.slice(0, NAMED), { x: 'change', y: 'sure', text: 'name', dy: -9 }),
      ruleX([-MIN_CHANGE, MIN_CHANGE], { stroke: 'var(--line)', strokeDasharray: '4 3' }),
      ruleY([0]),
    ],
  })
}

const door = {
  title: ({ name, change, pValue }: VolcanoGene) =>
    `${name}: ${change.toFixed(2).replace('-', '−')}, p = ${shownP(pValue)}`,
  href: 'href',
}

export const isDifferent = ({ change, adjusted }: VolcanoGene) =>
  adjusted <= MAX_ADJUSTED && Math.abs(change) >= MIN_CHANGE

/** Removes dots that other dots would cover. */
function sparse<Row extends { readonly change: number; readonly sure: number }>(
  rows: readonly Row[],
): readonly Row[] {
  const byPlace = new Map(
    rows.map((row) => [`${Math.round(row.change * 50)} ${Math.round(row.sure * 20)}`, row]),
  )
  return [...byPlace.values()]
}
