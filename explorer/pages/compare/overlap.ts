import { axisX, barX, plot, text } from '@observablehq/plot'
import { counted } from '../../parts/counted.ts'

/** Overlap of two cohorts. */
export interface Overlap {
  readonly first: string
  readonly second: string
  readonly onlyFirst: number
  readonly both: number
  readonly onlySecond: number
}

/** A part of a pair: the cases of one of them alone, or of both. */
export type OverlapPart = 'onlyFirst' | 'both' | 'onlySecond'

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
  hrefOf: (pair: number, part: OverlapPart) => string | undefined,
): SVGSVGElement | HTMLElement {
  const parts = overlaps.flatMap((overlap, index) => {
    const { first, second, onlyFirst, both, onlySecond } = overlap
    const pair = `${first} / ${second}`
    const [middle, end] = [onlyFirst + both, onlyFirst + both + onlySecond]
    return [
      { pair, name: 'onlyFirst', part: `only ${first}`, fill: 1, from: 0, to: onlyFirst },
      { pair, name: 'both', part: 'both', fill: 3, from: onlyFirst, to: middle },
      { pair, name: 'onlySecond', part: `only ${second}`, fill: 2, from: middle, to: end },
    ].map((part) => ({
      ...part,
      fill: `var(--series-${part.fill})`,
      href: hrefOf(index, part.name as OverlapPart),
      text: `${pair}, ${part.part}: ${counted(part.to - part.from, 'case')}`,
    }))
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
      barX(shown, {
        x1: 'from',
        x2: 'to',
        y: 'pair',
        fill: 'fill',
        insetRight: 1,
        title: 'text',
        href: 'href',
      }),
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
