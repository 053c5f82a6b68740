import { axisX, axisY, barX, plot, ruleX } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'

interface CorrelationBar {
  readonly name: string
  /** Correlation from -1 to 1. */
  readonly value: number
  /** Address of the gene. */
  readonly href: string
}

/** Approximate width of a letter in CSS pixels. */
const LETTER = 7.2

const shownR = (value: number) => value.toFixed(3).replace('-', '−')

/** Draws correlations as bars: positive to the right, negative to the left. */
export function correlationChart(
  width: number,
  bars: readonly CorrelationBar[],
): SVGSVGElement | HTMLElement {
  return plot({
    width,
    height: bars.length * 20 + 62,
    marginBottom: 42,
    marginLeft: Math.min(120, LETTER * Math.max(...bars.map(({ name }) => name.length)) + 12),
    ariaLabel: `Correlations of ${counted(bars.length, 'gene')}`,
    x: { label: 'Spearman’s correlation', domain: [-1, 1], grid: true },
    y: { label: null, domain: bars.map(({ name }) => name) },
    marks: [
      axisX({ anchor: 'bottom' }),
      axisY({ tickSize: 0 }),
      barX(bars, {
        x: 'value',
        y: 'name',
        fill: ({ value }: CorrelationBar) => (value > 0 ? 'var(--series-2)' : 'var(--series-1)'),
        title: ({ name, value }: CorrelationBar) => `${name}: ${shownR(value)}`,
        href: 'href',
      }),
      ruleX([0]),
    ],
  })
}
