import { counted } from '../../parts/counted.ts'
import { shownP } from '../../parts/shown-p.ts'
import { svg } from '../../parts/svg.ts'
import {
  casesOf,
  nameOf,
  type PairsAnswer,
  pairsOf,
  type Side,
  type TestedPair,
} from './pair-tests.ts'

interface PairMatrix {
  /** Width in CSS pixels. */
  readonly width: number
  readonly answer: PairsAnswer
  /** Returns the address of the cases of a pair. */
  readonly hrefOf: (pair: TestedPair, side: Side) => string
}

/** Highest q-value of a pair that is drawn filled. */
export const MAX_Q = 0.05
/** Binary logarithm of the odds ratio from which marks have their full size. */
const STRONGEST = 4
/** Sizes in CSS pixels. */
const CELL = { least: 16, most: 34 } as const
const LETTER = 8.8
const LEGEND_LINE = 22

const COLORS = { 'co-occurrence': 'var(--series-2)', 'mutual exclusivity': 'var(--series-1)' }

/** Draws a mark for each pair: a circle for co-occurrence, a diamond for mutual exclusivity. Each leads to its cases. */
export function pairMatrix({ width, answer, hrefOf }: PairMatrix): SVGSVGElement {
  const { genes } = answer
  const longest = Math.max(...genes.map((gene) => nameOf(gene).length))
  const room = longest * LETTER + 10
  const cell = Math.max(CELL.least, Math.min(CELL.most, (width - room) / (genes.length - 1)))
  const entries = legendEntries()
  const isNarrow = width < 640
  const top = isNarrow ? entries.length * LEGEND_LINE + 6 : LEGEND_LINE + 8
  const across = Math.max(room + cell * (genes.length - 1), isNarrow ? width : 640)
  const down = top + cell * (genes.length - 1) + room
  const size = { width: across, height: down, viewBox: `0 0 ${across} ${down}` }
  const picture = svg('svg', { ...size, class: 'matrix' })
  for (const [index, entry] of entries.entries()) {
    const [x, y] = isNarrow ? [10, index * LEGEND_LINE + 10] : [index * 158 + 10, 10]
    const key = svg('g', { 'aria-hidden': 'true' }, markOf(entry, { x, y, cell: 18 }))
    picture.append(key, label(entry.text, x + 14, y))
  }
  for (const [place, gene] of genes.entries()) {
    const x = room + cell * (place + 0.5)
    const y = top + cell * (place - 0.5)
    if (place > 0) picture.append(label(nameOf(gene), room - 6, y, { 'text-anchor': 'end' }))
    if (place === genes.length - 1) continue
    const below = top + cell * (genes.length - 1) + 6
    const turned = { 'text-anchor': 'end', transform: `rotate(-90 ${x} ${below})` }
    picture.append(label(nameOf(gene), x, below, turned))
  }
  for (const pair of pairsOf(answer)) {
    const [column, row] = pair.genes.toSorted((one, other) => one - other)
    if (column === undefined || row === undefined) continue
    const x = room + cell * (column + 0.5)
    const y = top + cell * (row - 0.5)
    const side: Side = pair.tendency === 'mutual exclusivity' ? 'one' : 'both'
    const around = {
      x: x - cell / 2,
      y: y - cell / 2,
      width: cell,
      height: cell,
      fill: 'transparent',
      stroke: 'var(--line)',
    }
    picture.append(
      svg(
        'a',
        { href: hrefOf(pair, side) },
        svg('title', {}, titleOf(pair, side)),
        svg('rect', around),
        markOf({ ...pair, isSure: pair.q_value <= MAX_Q }, { x, y, cell }),
      ),
    )
  }
  return picture
}

interface Marked {
  readonly tendency: TestedPair['tendency']
  readonly log2_odds_ratio: number | null
  readonly isSure: boolean
}

function markOf(
  { tendency, log2_odds_ratio: odds, isSure }: Marked,
  { x, y, cell }: { readonly x: number; readonly y: number; readonly cell: number },
): SVGElement {
  if (tendency === 'none' || odds === null) {
    return svg('circle', { cx: x, cy: y, r: 1, fill: 'var(--soft)' })
  }
  const strength = Math.min(1, Math.abs(odds) / STRONGEST)
  const size = (0.16 + 0.26 * strength) * cell
  const color = COLORS[tendency]
  const paint = { fill: isSure ? color : 'transparent', stroke: color, 'stroke-width': 1.5 }
  if (tendency === 'co-occurrence') return svg('circle', { cx: x, cy: y, r: size, ...paint })
  const points = `${x},${y - size} ${x + size},${y} ${x},${y + size} ${x - size},${y}`
  return svg('polygon', { points, ...paint })
}

const legendEntries = () =>
  [
    { tendency: 'co-occurrence', isSure: true, text: 'co-occurrence' },
    { tendency: 'mutual exclusivity', isSure: true, text: 'mutual exclusivity' },
    { tendency: 'co-occurrence', isSure: false, text: `hollow: q > ${MAX_Q}` },
    { tendency: 'mutual exclusivity', isSure: true, text: 'small: weak', log2_odds_ratio: 0.2 },
  ].map((entry) => ({ log2_odds_ratio: STRONGEST / 2, ...entry }) as Marked & { text: string })

const label = (
  text: string,
  x: number,
  y: number,
  more: Readonly<Record<string, string | number>> = {},
) => svg('text', { x, y, dy: '0.35em', 'font-size': 12, fill: 'currentColor', ...more }, text)

function titleOf(pair: TestedPair, side: Side): string {
  const { first, second, tendency, log2_odds_ratio: odds, q_value: q } = pair
  const ratio = odds === null ? '' : `, odds ratio ${(2 ** odds).toPrecision(3)}`
  const found = tendency === 'none' ? 'no tendency' : tendency
  const which = side === 'both' ? 'both changed' : 'one changed without the other'
  const cases = casesOf(pair, side)
  return `${nameOf(first)} and ${nameOf(second)}: ${found}${ratio}, q = ${shownP(q)}. ${counted(cases, 'case')} with ${which}`
}
