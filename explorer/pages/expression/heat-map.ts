import type { Track } from '../../cohort/tracks.ts'
import type { Branch } from './cluster.ts'

/** Data of a heat map, with rows and columns in display order. */
export interface HeatMap {
  readonly rowNames: readonly string[]
  readonly columnNames: readonly string[]
  /** Returns a value, or NaN if it is unknown. */
  readonly value: (row: number, column: number) => number
  /** Absolute value with the strongest colour. */
  readonly most: number
  /** Properties of the columns, drawn above them. */
  readonly tracks: readonly Pick<Track, 'title' | 'colors'>[]
  readonly rowTree: readonly Branch[]
  readonly columnTree: readonly Branch[]
}

/** Places of the parts in CSS pixels. */
export interface Layout {
  readonly width: number
  readonly height: number
  /** Left and top edge of the cells. */
  readonly left: number
  readonly top: number
  /** Width and height of all cells. */
  readonly across: number
  readonly down: number
  readonly columnWidth: number
  readonly rowHeight: number
  /** Top of the tree of columns and of the tracks, and heights and widths of the trees. */
  readonly treeTop: number
  readonly tracksTop: number
  readonly columnTree: number
  readonly rowTree: number
}

/** Sizes in CSS pixels. */
const ROW_HEIGHT = 16
const MIN_ROW_HEIGHT = 2
const MAX_HEIGHT = 1200
const WIDEST_COLUMN = 40
const SCALE_HEIGHT = 34
const TREE = 52
/** Space on both sides of a tree. */
export const TREE_GAP = 3
export const TRACK_HEIGHT = 12
export const TRACK_GAP = 2
export const COLUMN_NAMES = 112
/** Sizes of rows and columns from which they have names. */
export const NAMED_ROW = 8
export const NAMED_COLUMN = 9
/** Window width below which names and trees are smaller. */
const NARROW = 500

/** Returns the places of the parts of a heat map of a width. */
export function layoutOf(
  width: number,
  { rowNames, columnNames, tracks, rowTree, columnTree }: HeatMap,
): Layout {
  const isNarrow = width < NARROW
  const left = isNarrow ? 76 : 124
  const rowTreeWidth = rowTree.length === 0 ? 0 : isNarrow ? TREE / 2 : TREE
  const treeHeight = columnTree.length === 0 ? 0 : TREE
  const columns = Math.max(1, columnNames.length)
  const columnWidth = Math.min(WIDEST_COLUMN, Math.max(50, width - left - rowTreeWidth) / columns)
  const rowHeight = Math.max(
    MIN_ROW_HEIGHT,
    Math.min(ROW_HEIGHT, Math.floor(MAX_HEIGHT / Math.max(1, rowNames.length))),
  )
  const tracksTop = SCALE_HEIGHT + treeHeight
  const tracksHeight = tracks.length === 0 ? 0 : tracks.length * (TRACK_HEIGHT + TRACK_GAP) + 4
  const top = tracksTop + tracksHeight
  const down = rowHeight * rowNames.length
  const names = columnWidth >= NAMED_COLUMN ? COLUMN_NAMES : 0
  return {
    width,
    height: top + down + names,
    left,
    top,
    across: columnWidth * columns,
    down,
    columnWidth,
    rowHeight,
    treeTop: SCALE_HEIGHT,
    tracksTop,
    columnTree: treeHeight,
    rowTree: rowTreeWidth,
  }
}
