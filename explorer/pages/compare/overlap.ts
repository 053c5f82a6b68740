import { axisX, barX, plot, text } from '@observablehq/plot'

/** Overlap of two cohorts. */
export interface Overlap {
  readonly first: string
  readonly second: string
  readonly onlyFirst: number
  readonly both: number
  readonly onlySecond: number
}

/** Returns all pairs of indexes below a number. */
export const pairsOf = (count: number): readonly (readonly [number, number])[] =>
  Array.from({ length: count }, (_, second) =>
    Array.from({ length: second }, (_, first) => [first, second] as const),
  ).flat()

/** Height in CSS pixels. */
const PAIR_HEIGHT = 48

/** Draws a bar for each pair: cases of the first only, of both, and of the second only. */
export function overlapChart(
  width: number,
  overlaps: readonly Overlap[],
): SVGSVGElement | HTMLElement {
  const parts = overlaps.flatMap(({ first, second, onlyFirst, both, onlySecond }) => {
    const pair = `${first} / ${second}`
    return [
      { pair, part: `only ${first}`, fill: 'var(--series-1)', from: 0, to: onlyFirst },
      { pair, part: 'both', fill: 'var(--series-3)', from: onlyFirst, to: onlyFirst + both },
      {
        pair,
        part: `only ${second}`,
        fill: 'var(--series-2)',
        from: onlyFirst + both,
        to: onlyFirst + both + onlySecond,
      },
    ]
  })
  const most = Math.max(1, ...parts.map(({ to }) => to))
  const shown = parts.filter(({ from, to }) => to > from)
  return plot({
    width,
    height: PAIR_HEIGHT * overlaps.length + 56,
    marginLeft: 12,
    marginRight: 24,
    marginTop: 26,
    ariaLabel: 'Cases of each cohort alone and of both',
    x: { label: 'Cases', domain: [0, most] },
    y: {
      axis: null,
      domain: overlaps.map(({ first, second }) => `${first} / ${second}`),
      paddingInner: 0.6,
      paddingOuter: 0.1,
    },
    marks: [
      barX(shown, { x1: 'from', x2: 'to', y: 'pair', fill: 'fill', insetRight: 1 }),
      text(shown, {
        x: 'from',
        y: 'pair',
        dy: -22,
        textAnchor: 'start',
        text: ({ part, from, to }: (typeof parts)[number]) => {
          const room = Math.floor(((to - from) / most) * (width - 36))
          const words = `${part} ${(to - from).toLocaleString('en')}`
          return words.length * 6 > room ? (to - from).toLocaleString('en') : words
        },
      }),
      axisX({ ticks: Math.max(2, Math.floor(width / 120)) }),
    ],
  })
}
