import { axisX, axisY, barX, plot, ruleX, text } from '@observablehq/plot'

interface BarChart {
  /** In CSS pixels. */
  readonly width: number
  /** What the numbers count. */
  readonly label: string
  readonly bars: readonly { readonly name: string; readonly value: number }[]
}

const LONGEST_NAME = 32

/** Horizontal bars in the order given, each with its number. */
export function barChart({ width, label, bars }: BarChart): SVGSVGElement | HTMLElement {
  const room = Math.min(220, width * 0.42)
  return plot({
    width,
    height: bars.length * 22 + 50,
    marginLeft: room,
    marginRight: 48,
    ariaLabel: `Bars of ${label} by name`,
    x: { label, grid: true },
    y: { label: null, domain: bars.map(({ name }) => name) },
    marks: [
      axisX({ anchor: 'bottom' }),
      axisY({ tickSize: 0, tickFormat: (name: string) => shortened(name, room) }),
      barX(bars, { x: 'value', y: 'name', fill: 'var(--series-1)' }),
      text(bars, {
        x: 'value',
        y: 'name',
        text: ({ value }: { value: number }) => value.toLocaleString('en'),
        textAnchor: 'start',
        dx: 4,
      }),
      ruleX([0]),
    ],
  })
}

/** About 6.5 pixels a letter. */
function shortened(name: string, room: number): string {
  const longest = Math.min(LONGEST_NAME, Math.floor(room / 6.5))
  return name.length > longest ? `${name.slice(0, longest - 1)}…` : name
}
