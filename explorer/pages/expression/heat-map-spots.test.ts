import { expect, test } from 'vitest'
import { clusterRows } from './cluster.ts'
import { type HeatMap, layoutOf } from './heat-map.ts'
import { type Spot, spotAt, stepFrom } from './heat-map-spots.ts'

const VALUES = [
  [1, 2, 3, 4],
  [1, 2, 3, 5],
  [4, 1, 4, 1],
]

async function madeMap(): Promise<HeatMap> {
  const nobodyLeaves = new AbortController().signal
  const rows = VALUES.map((row) => Float64Array.from(row))
  const columns = [0, 1, 2, 3].map((place) => Float64Array.from(rows, (row) => row[place] ?? 0))
  const [rowTree, columnTree] = await Promise.all([
    clusterRows(rows, nobodyLeaves),
    clusterRows(columns, nobodyLeaves),
  ])
  return {
    rowNames: rowTree.order.map(String),
    columnNames: columnTree.order.map(String),
    value: () => 0,
    most: 2,
    tracks: [],
    rowTree: rowTree.branches,
    columnTree: columnTree.branches,
  }
}

test('a point is in a cell, a name or the smallest branch that is drawn around it', async () => {
  const map = await madeMap()
  const layout = layoutOf(800, map)
  const { left, top, across, columnWidth, rowHeight, tracksTop } = layout
  const at = (x: number, y: number) => spotAt(map, layout, x, y)
  expect(at(left + columnWidth * 2.5, top + rowHeight * 1.5)).toEqual({
    kind: 'cell',
    row: 1,
    column: 2,
  })
  expect(at(left - 5, top + rowHeight * 2.5)).toEqual({ kind: 'row', row: 2 })
  expect(at(left + 5, top + rowHeight * 3 + 20)).toEqual({ kind: 'column', column: 0 })
  const beside = at(left + across + 1, top + 1)
  expect(beside).toMatchObject({ kind: 'rows', branch: { from: 0, to: 1 } })
  expect(at(left + 1, tracksTop - layout.columnTree + 7)).toMatchObject({
    kind: 'columns',
    branch: { from: 0, to: 3 },
  })
  expect(at(left + 1, 2)).toBeUndefined()
})

test('the arrow keys lead into the trees, up to all cases, and back to the same cell', async () => {
  const map = await madeMap()
  const press = (spot: Spot, keys: readonly string[]) =>
    keys.reduce((now, key) => stepFrom(map, now, key), spot)
  const first: Spot = { kind: 'cell', row: 0, column: 0 }
  const ups = Array.from({ length: 6 }, () => 'ArrowUp')
  const highest = press(first, ups)
  expect(highest).toMatchObject({ kind: 'columns', branch: { from: 0, to: 3 } })
  expect(
    press(
      highest,
      Array.from({ length: 4 }, () => 'ArrowDown'),
    ),
  ).toMatchObject({
    kind: 'cell',
    column: 0,
  })
  expect(press(first, ['ArrowLeft', 'ArrowDown'])).toEqual({ kind: 'row', row: 1 })
  expect(press(first, ['ArrowLeft', 'ArrowRight'])).toEqual(first)
  const last: Spot = { kind: 'cell', row: 0, column: 3 }
  expect(press(last, ['ArrowRight'])).toMatchObject({ kind: 'rows', branch: { from: 0, to: 1 } })
  expect(press(last, ['ArrowRight', 'ArrowLeft'])).toEqual(last)
})
