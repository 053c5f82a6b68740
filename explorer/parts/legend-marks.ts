import { dot, type Markish, text } from '@observablehq/plot'

interface LegendEntry {
  readonly name: string
  readonly color: string
}

/** Sizes in CSS pixels. */
const LETTER = 6.2
const SYMBOL = 16
const GAP = 18
const LINE = 18

/**
 * Returns a colour legend as marks above a figure, so that it is saved with it. The figure needs `height`
 * more above its frame, which is `width` wide and starts `marginTop` below the top.
 */
export function legendMarks(
  entries: readonly LegendEntry[],
  { width, marginTop }: { readonly width: number; readonly marginTop: number },
): { readonly marks: readonly Markish[]; readonly height: number } {
  let [x, line] = [0, 0]
  const placed = entries.map((entry) => {
    const own = SYMBOL + entry.name.length * LETTER
    if (x > 0 && x + own > width) [x, line] = [0, line + 1]
    const at = { ...entry, x, line }
    x += own + GAP
    return at
  })
  const height = entries.length === 0 ? 0 : (line + 1) * LINE
  const marks = placed.flatMap(({ name, color, x: left, line: row }) => {
    const dy = row * LINE - height - marginTop + LINE / 2
    return [
      dot([0], { frameAnchor: 'top-left', dx: left + 5, dy, r: 5, fill: color }),
      text([name], { frameAnchor: 'top-left', lineAnchor: 'middle', dx: left + SYMBOL, dy }),
    ]
  })
  return { marks, height }
}
