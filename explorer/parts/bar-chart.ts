import { svg } from './svg.ts'

interface BarChart {
  /** Width in CSS pixels. */
  readonly width: number
  /** Name of the records that are counted, such as `cases`. */
  readonly label: string
  /** Bars. One with an address is a link to it. */
  readonly bars: readonly {
    readonly name: string
    readonly value: number
    readonly href?: string
  }[]
}

const LONGEST_NAME = 32
/** Height of a bar with the space below it, and of the bar alone, in CSS pixels. */
const ROW = 22
const THICK = 18
/** Approximate width of a letter in CSS pixels, in wide fonts. */
const LETTER = 7.2
/** Space for the value behind the longest bar. */
const VALUE_ROOM = 56

/** Draws horizontal bars in the given order, with their values. It is drawn by hand, as it is on the first page. */
export function barChart({ width, label, bars }: BarChart): SVGSVGElement {
  const room = Math.min(220, width * 0.42)
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const scale = Math.max(0, width - room - VALUE_ROOM) / most
  const height = bars.length * ROW + 8
  const picture = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, class: 'bars' })
  for (const [index, { name, value, href }] of bars.entries()) {
    const [top, middle] = [index * ROW + 4, index * ROW + 4 + THICK / 2]
    const shown = value.toLocaleString('en')
    const end = room + value * scale
    const text = { y: middle, dy: '0.35em', fill: 'currentColor' }
    const bar = svg(
      'rect',
      { x: room, y: top, width: Math.max(1, end - room), height: THICK, fill: 'var(--series-1)' },
      svg('title', {}, `${name}: ${shown} ${label}`),
    )
    picture.append(
      svg('text', { ...text, x: room - 6, 'text-anchor': 'end' }, shortened(name, room)),
      href === undefined ? bar : svg('a', { href }, bar),
      svg('text', { ...text, x: end + 4 }, shown),
    )
  }
  return picture
}

function shortened(name: string, room: number): string {
  const longest = Math.min(LONGEST_NAME, Math.floor(room / LETTER))
  return name.length > longest ? `${name.slice(0, longest - 1)}…` : name
}
