import { axisX, axisY, barY, plot, ruleY, text } from '@observablehq/plot'
import { addLegend, LEGEND_LINE, legendLines, SERIES_COLORS } from '../../parts/legend.ts'
import type { SpectrumBar } from './counts.ts'

/** Height of the bars of a group in CSS pixels. */
const ROW = 120
/** Smallest width of a bar whose name is written below it, in CSS pixels. */
const NAMED_BAR = 8

/** Draws a row of bars for each group, coloured by class. Each leads to cases with its class. */
export function spectrumChart(
  bars: readonly SpectrumBar[],
  { width, hrefOf }: { readonly width: number; readonly hrefOf: (bar: SpectrumBar) => string },
): SVGSVGElement | HTMLElement {
  const [names, groups, classes] = [
    [...new Set(bars.map(({ name }) => name))],
    [...new Set(bars.map(({ group }) => group))],
    [...new Set(bars.map(({ substitution }) => substitution))],
  ]
  const above = legendLines(classes, width) * LEGEND_LINE + 8
  const isNamed = (width - 80) / names.length >= NAMED_BAR
  const isLong = names.length > classes.length
  const below = isNamed ? (isLong ? 56 : 36) : 16
  const drawn = plot({
    width,
    height: above + below + groups.length * (ROW + 22),
    marginTop: above + 22,
    marginBottom: below,
    marginLeft: 52,
    marginRight: 8,
    ariaLabel: `Share of substitutions of ${groups.join(', ')}`,
    x: { axis: null, domain: names, padding: isLong ? 0.2 : 0.4 },
    y: { percent: true, grid: true },
    fy: { axis: null, domain: groups, padding: 22 / (ROW + 22) },
    color: { domain: classes, range: SERIES_COLORS },
    marks: [
      text(groups, {
        fy: (name) => name,
        text: (name) => name,
        frameAnchor: 'top-left',
        dy: -16,
        fontWeight: 'bold',
      }),
      axisY({ ticks: 3, label: null, tickFormat: (share: number) => `${share} %` }),
      ...(isNamed
        ? [
            axisX({
              label: null,
              tickSize: 0,
              ...(isLong && { tickRotate: -90, fontSize: 8, tickFormat: basesOf }),
            }),
          ]
        : []),
      barY(bars, {
        x: 'name',
        y: 'share',
        fy: 'group',
        fill: 'substitution',
        title: ({ group, name, count, share }: SpectrumBar) =>
          `${name} in ${group}: ${count.toLocaleString('en')} (${(100 * share).toFixed(1)} %)`,
        href: hrefOf,
      }),
      ruleY([0]),
    ],
  })
  return addLegend(drawn, classes, width)
}

/** Returns the three bases of a context: `ACT` of `A[C>A]T`. */
const basesOf = (name: string) => name.replace(/\[(.)>.\]/, '$1')
