const SVG = 'http://www.w3.org/2000/svg'
/** Sizes in CSS pixels. */
const LETTER = 6.2
const SWATCH = 11
const GAP = 18
export const LEGEND_LINE = 18

/** Colours of series, in order. */
export const SERIES_COLORS = Array.from({ length: 12 }, (_, index) => `var(--series-${index + 1})`)

/** Returns the colour of a series by its place. */
export const colorOf = (place: number): string =>
  SERIES_COLORS[place % SERIES_COLORS.length] ?? 'currentColor'

interface Placed<Entry> {
  readonly entry: Entry
  readonly x: number
  readonly line: number
}

/** Places the entries of a legend side by side, in as many lines as needed. */
export function placeEntries<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  width: number,
): readonly Placed<Entry>[] {
  let [x, line] = [0, 0]
  return entries.map((entry) => {
    const length = SWATCH + 6 + LETTER * entry.name.length
    if (x > 0 && x + length > width) [x, line] = [0, line + 1]
    const placed = { entry, x, line }
    x += length + GAP
    return placed
  })
}

const placeNames = (names: readonly string[], width: number) =>
  placeEntries(
    names.map((name) => ({ name })),
    width,
  )

/** Returns the number of lines that the names need. */
export const legendLines = (names: readonly string[], width: number): number =>
  (placeNames(names, width).at(-1)?.line ?? 0) + 1

/** Adds the names of series to a figure, so that the legend is saved with the figure. */
export function addLegend(
  drawn: SVGSVGElement | HTMLElement,
  names: readonly string[],
  width: number,
): SVGSVGElement | HTMLElement {
  const picture = drawn instanceof SVGSVGElement ? drawn : drawn.querySelector('svg')
  for (const [index, { entry, x, line }] of placeNames(names, width).entries()) {
    const y = line * LEGEND_LINE
    const swatch = document.createElementNS(SVG, 'rect')
    const attributes = { x, y, width: SWATCH, height: SWATCH, rx: 2 }
    for (const [key, value] of Object.entries(attributes)) swatch.setAttribute(key, String(value))
    swatch.setAttribute('aria-hidden', 'true')
    swatch.setAttribute('fill', colorOf(index))
    const words = document.createElementNS(SVG, 'text')
    words.setAttribute('x', String(x + SWATCH + 5))
    words.setAttribute('y', String(y + SWATCH - 1))
    words.setAttribute('fill', 'currentColor')
    words.setAttribute('text-anchor', 'start')
    words.textContent = entry.name
    picture?.append(swatch, words)
  }
  return drawn
}
