import { axisX, axisY, barX, plot, ruleX, text } from '@observablehq/plot'

interface BarChart {
  /** Width in CSS pixels. */
  readonly width: number
  /** Label of the axis. */
  readonly label: string
  readonly bars: readonly { readonly name: string; readonly value: number }[]
}

const LONGEST_NAME = 32

/** Draws horizontal bars in the given order, with their values. */
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

/** Shortens a name to the available space, at about 6.5 pixels per letter. */
function shortened(name: string, room: number): string {
  const longest = Math.min(LONGEST_NAME, Math.floor(room / 6.5))
  return name.length > longest ? `${name.slice(0, longest - 1)}…` : name
}
