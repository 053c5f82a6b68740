import { binX, plot, rectY, ruleY } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'
import type { GeneSummary } from './summary.ts'

/** Height in CSS pixels. */
const GENE_HEIGHT = 130
const INTERVALS = 40

interface Interval {
  readonly x1: number
  readonly x2: number
}

const shown = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 4 })

/** Draws a histogram for each gene, one below the other on a common scale. Its bars lead to the gene. */
export function cellChart(
  width: number,
  genes: readonly GeneSummary[],
  hrefOf: (gene: GeneSummary) => string,
): SVGSVGElement | HTMLElement {
  const rows = genes.flatMap((one) => {
    const { name, values, expressing } = one
    const share = Math.round((100 * (values.length - expressing)) / Math.max(1, values.length))
    const href = hrefOf(one)
    const gene = `${name} (${share} % zero)`
    return [...values].flatMap((value) => (value > 0 ? [{ gene, name, href, value }] : []))
  })
  const bars = {
    ...{ x: 'value', fy: 'gene', fill: 'var(--series-1)', thresholds: INTERVALS },
    ...{ title: 'name', href: 'href' },
  }
  const titleOf = (names: readonly string[], { x1, x2 }: Interval) =>
    `${names[0]}: ${counted(names.length, 'cell')} from ${shown(x1)} to ${shown(x2)}`
  return plot({
    width,
    height: GENE_HEIGHT * genes.length + 70,
    marginLeft: 60,
    marginRight: 150,
    ariaLabel: `Histograms of ${genes.map(({ name }) => name).join(', ')}`,
    fy: { label: null },
    x: { label: 'Number in the cell' },
    y: { label: 'Cells', grid: true, ticks: 3 },
    marks: [rectY(rows, binX({ y: 'count', title: titleOf }, bars)), ruleY([0])],
  })
}
