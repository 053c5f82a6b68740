import type { Rectangle } from '../../parts/rectangle.ts'
import type { Branch } from './cluster.ts'
import { type HeatMap, type Layout, TREE_GAP } from './heat-map.ts'

/** A part of a heat map that a person points at. Places are in display order. */
export type Spot =
  | { readonly kind: 'cell'; readonly row: number; readonly column: number }
  | { readonly kind: 'row'; readonly row: number }
  | { readonly kind: 'column'; readonly column: number }
  | { readonly kind: 'rows'; readonly branch: Branch }
  | { readonly kind: 'columns'; readonly branch: Branch }

/** Returns the smallest branch around all places from `from` to `to` that is not these alone. */
const branchAround = (tree: readonly Branch[], from: number, to: number): Branch | undefined =>
  tree
    .filter((one) => one.from <= from && one.to >= to && one.to - one.from > to - from)
    .reduce<Branch | undefined>(
      (least, one) => (least && least.to - least.from <= one.to - one.from ? least : one),
      undefined,
    )

/** Returns the smallest branch around a place that is drawn at a height or above it. */
const branchAt = (tree: readonly Branch[], place: number, height: number): Branch | undefined =>
  branchAround(
    tree.filter((one) => one.height >= height),
    place,
    place,
  )

/** Returns what is at a point, in CSS pixels of the picture. */
export function spotAt(map: HeatMap, layout: Layout, x: number, y: number): Spot | undefined {
  const { left, top, across, columnWidth, rowHeight } = layout
  const column = Math.floor((x - left) / columnWidth)
  const row = Math.floor((y - top) / rowHeight)
  const isColumn = column >= 0 && column < map.columnNames.length
  const isRow = row >= 0 && row < map.rowNames.length
  if (isRow && isColumn) return { kind: 'cell', row, column }
  if (isRow && x < left) return { kind: 'row', row }
  if (isRow) {
    const { rowTree: room } = layout
    return branchSpot('rows', map.rowTree, { place: row, distance: x - left - across, room })
  }
  if (!isColumn || y < layout.treeTop) return undefined
  if (y >= layout.tracksTop) return { kind: 'column', column }
  const { columnTree: room, tracksTop } = layout
  return branchSpot('columns', map.columnTree, { place: column, distance: tracksTop - y, room })
}

/** A point at a row or column. */
interface PointInTree {
  readonly place: number
  /** Distance from the cells, and size of the tree, in CSS pixels. */
  readonly distance: number
  readonly room: number
}

function branchSpot(
  kind: 'rows' | 'columns',
  tree: readonly Branch[],
  { place, distance, room }: PointInTree,
): Spot | undefined {
  const most = Math.max(0, ...tree.map(({ height }) => height))
  const share = Math.max(0, distance - TREE_GAP) / (room - 2 * TREE_GAP)
  const branch = distance > room ? undefined : branchAt(tree, place, Math.min(1, share) * most)
  return branch && { kind, branch }
}

/** Returns the rectangle of a spot, in CSS pixels of the picture. */
export function rectangleOf(spot: Spot, layout: Layout): Rectangle {
  const { left, top, across, columnWidth, rowHeight, tracksTop } = layout
  switch (spot.kind) {
    case 'cell':
      return {
        x: left + spot.column * columnWidth,
        y: top + spot.row * rowHeight,
        width: columnWidth,
        height: rowHeight,
      }
    case 'row':
      return { x: 0, y: top + spot.row * rowHeight, width: left, height: rowHeight }
    case 'column': {
      const x = left + spot.column * columnWidth
      return { x, y: tracksTop, width: columnWidth, height: top - tracksTop }
    }
    case 'columns': {
      const { from, to } = spot.branch
      const [x, width] = [left + from * columnWidth, (to - from + 1) * columnWidth]
      return { x, y: layout.treeTop, width, height: layout.columnTree }
    }
    case 'rows': {
      const { from, to } = spot.branch
      const [y, height] = [top + from * rowHeight, (to - from + 1) * rowHeight]
      return { x: left + across, y, width: layout.rowTree, height }
    }
  }
}

/** Returns where an arrow key leads: from cell to cell, to the names at the left, to the trees above and at the right. */
export function stepFrom(map: HeatMap, spot: Spot, key: string): Spot {
  const [rows, columns] = [map.rowNames.length, map.columnNames.length]
  switch (spot.kind) {
    case 'column':
    case 'cell': {
      const row = spot.kind === 'cell' ? spot.row : 0
      return stepFromCell(map, { row, column: spot.column }, key)
    }
    case 'row':
      if (key === 'ArrowRight') return { kind: 'cell', row: spot.row, column: 0 }
      if (key === 'ArrowUp') return { kind: 'row', row: Math.max(0, spot.row - 1) }
      if (key === 'ArrowDown') return { kind: 'row', row: Math.min(rows - 1, spot.row + 1) }
      return spot
    case 'rows':
    case 'columns': {
      const { kind, branch } = spot
      const [tree, outward, inward] =
        kind === 'rows'
          ? ([map.rowTree, 'ArrowRight', 'ArrowLeft'] as const)
          : ([map.columnTree, 'ArrowUp', 'ArrowDown'] as const)
      const around = branchAround(tree, branch.from, branch.to)
      if (key === outward && around) return { kind, branch: around }
      if (key !== inward) return spot
      const [within] = tree
        .filter(({ from, to }) => from === branch.from && to < branch.to)
        .toSorted((one, other) => other.to - one.to)
      if (within) return { kind, branch: within }
      return kind === 'rows'
        ? { kind: 'cell', row: branch.from, column: columns - 1 }
        : { kind: 'cell', row: 0, column: branch.from }
    }
  }
}

function stepFromCell(
  { rowNames, columnNames, rowTree, columnTree }: HeatMap,
  { row, column }: { readonly row: number; readonly column: number },
  key: string,
): Spot {
  const [lastRow, lastColumn] = [rowNames.length - 1, columnNames.length - 1]
  if (key === 'ArrowLeft' && column === 0) return { kind: 'row', row }
  const rowBranch = branchAround(rowTree, row, row)
  if (key === 'ArrowRight' && column === lastColumn && rowBranch) {
    return { kind: 'rows', branch: rowBranch }
  }
  const columnBranch = branchAround(columnTree, column, column)
  if (key === 'ArrowUp' && row === 0 && columnBranch) {
    return { kind: 'columns', branch: columnBranch }
  }
  const [down, right] = STEPS[key] ?? [0, 0]
  return {
    kind: 'cell',
    row: Math.max(0, Math.min(lastRow, row + down)),
    column: Math.max(0, Math.min(lastColumn, column + right)),
  }
}

const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}
