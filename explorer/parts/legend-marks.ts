import { dot, type Markish, text } from '@observablehq/plot'
import { LEGEND_LINE, placeEntries } from './legend.ts'

interface LegendEntry {
  readonly name: string
  readonly color: string
}

/** Distance of a name from the start of its symbol, in CSS pixels. */
const SYMBOL = 16

/**
 * Returns a colour legend as marks above a figure, so that the legend is saved with it. The figure must leave
 * the space of `height` above its frame. The frame is `width` wide and starts `marginTop` below the top.
 */
export function legendMarks(
  entries: readonly LegendEntry[],
  { width, marginTop }: { readonly width: number; readonly marginTop: number },
): { readonly marks: readonly Markish[]; readonly height: number } {
  const placed = placeEntries(entries, width)
  const height = ((placed.at(-1)?.line ?? -1) + 1) * LEGEND_LINE
  const marks = placed.flatMap(({ entry: { name, color }, x, line }) => {
    const dy = line * LEGEND_LINE - height - marginTop + LEGEND_LINE / 2
    return [
      dot([0], { frameAnchor: 'top-left', dx: x + 5, dy, r: 5, fill: color, ariaHidden: 'true' }),
      text([name], { frameAnchor: 'top-left', lineAnchor: 'middle', dx: x + SYMBOL, dy }),
    ]
  })
  return { marks, height }
}
