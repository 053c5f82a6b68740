import { binX, plot, rectY, ruleY } from '@observablehq/plot'
import type { GeneSummary } from './summary.ts'

/** Height in CSS pixels. */
const GENE_HEIGHT = 130
const INTERVALS = 40

/** Draws a histogram for each gene, one below the other on a common scale. */
export function cellChart(
  width: number,
  genes: readonly GeneSummary[],
): SVGSVGElement | HTMLElement {
  const rows = genes.flatMap(({ name, values, expressing }) => {
    const share = Math.round((100 * (values.length - expressing)) / Math.max(1, values.length))
    const gene = `${name} (${share} % zero)`
    return [...values].flatMap((value) => (value > 0 ? [{ gene, value }] : []))
  })
  const bars = { x: 'value', fy: 'gene', fill: 'var(--series-1)', thresholds: INTERVALS }
  return plot({
    width,
    height: GENE_HEIGHT * genes.length + 70,
    marginLeft: 60,
    marginRight: 150,
    ariaLabel: `Histograms of ${genes.map(({ name }) => name).join(', ')}`,
    fy: { label: null },
    x: { label: 'Number in the cell' },
    y: { label: 'Cells', grid: true, ticks: 3 },
    marks: [rectY(rows, binX({ y: 'count' }, bars)), ruleY([0])],
  })
}
