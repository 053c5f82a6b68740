const SVG = 'http://www.w3.org/2000/svg'
/** Sizes in CSS pixels. */
const LETTER = 6.2
const SWATCH = 11
const GAP = 18
export const LEGEND_LINE = 18

/** Colours of series, in order. */
export const SERIES_COLORS = [1, 2, 3, 4, 5, 6].map((series) => `var(--series-${series})`)

interface Named {
  readonly name: string
  readonly x: number
  readonly line: number
}

/** Returns the positions of series names, in as many lines as needed. */
function legendOf(names: readonly string[], width: number): readonly Named[] {
  const placed: Named[] = []
  let [x, line] = [0, 0]
  for (const name of names) {
    const length = SWATCH + 6 + LETTER * name.length
    if (x > 0 && x + length > width) [x, line] = [0, line + 1]
    placed.push({ name, x, line })
    x += length + GAP
  }
  return placed
}

/** Returns the number of lines that the names need. */
export const legendLines = (names: readonly string[], width: number): number =>
  (legendOf(names, width).at(-1)?.line ?? 0) + 1

/** Adds the names of series to a figure, so that they are saved with it. */
export function addLegend(
  drawn: SVGSVGElement | HTMLElement,
  names: readonly string[],
  width: number,
): SVGSVGElement | HTMLElement {
  const picture = drawn instanceof SVGSVGElement ? drawn : drawn.querySelector('svg')
  for (const [index, { name, x, line }] of legendOf(names, width).entries()) {
    const y = line * LEGEND_LINE
    const swatch = document.createElementNS(SVG, 'rect')
    const attributes = { x, y, width: SWATCH, height: SWATCH, rx: 2 }
    for (const [key, value] of Object.entries(attributes)) swatch.setAttribute(key, String(value))
    swatch.setAttribute('fill', SERIES_COLORS[index % SERIES_COLORS.length] ?? 'currentColor')
    const words = document.createElementNS(SVG, 'text')
    words.setAttribute('x', String(x + SWATCH + 5))
    words.setAttribute('y', String(y + SWATCH - 1))
    words.setAttribute('fill', 'currentColor')
    words.setAttribute('text-anchor', 'start')
    words.textContent = name
    picture?.append(swatch, words)
  }
  return drawn
}
