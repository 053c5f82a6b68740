import type { Branch } from './cluster.ts'
import {
  COLUMN_NAMES,
  type HeatMap,
  type Layout,
  NAMED_COLUMN,
  NAMED_ROW,
  TRACK_GAP,
  TRACK_HEIGHT,
  TREE_GAP,
} from './heat-map.ts'
import { cellsOf, colorOf } from './heat-map-cells.ts'

/** Width of the bar of colours, and space behind it for the colour of unknown values, in CSS pixels. */
const MAX_SCALE = 180
const UNKNOWN_ROOM = 90

/** Draws a heat map on a canvas: blue for low, red for high, grey for unknown values; with legend, tracks and trees. */
export function paintHeatMap(map: HeatMap, layout: Layout): HTMLCanvasElement {
  const { width, height, left, top, across, down } = layout
  const canvas = document.createElement('canvas')
  const scale = globalThis.devicePixelRatio || 1
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
  const context = canvas.getContext('2d')
  if (!context) return canvas
  context.scale(scale, scale)
  const page = getComputedStyle(document.documentElement)
  const color = (name: string) => page.getPropertyValue(`--${name}`).trim()
  const { fontFamily } = getComputedStyle(document.body)
  // The saved picture has a background, as its text would be lost on another one.
  context.fillStyle = color('raised')
  context.fillRect(0, 0, width, height)
  // Draws one pixel per cell and stretches the image, which takes milliseconds for a million cells.
  context.imageSmoothingEnabled = false
  context.drawImage(cellsOf(map), left, top, across, down)
  paintTracks(context, map, layout)
  context.strokeStyle = color('soft')
  paintColumnTree(context, map, layout)
  paintRowTree(context, map, layout)
  context.fillStyle = color('text')
  context.textBaseline = 'middle'
  paintNames(context, map, { ...layout, fontFamily })
  context.font = `12px ${fontFamily}`
  paintScale(context, map.most, layout)
  return canvas
}

interface Written extends Layout {
  readonly fontFamily: string
}

function paintNames(
  context: CanvasRenderingContext2D,
  { rowNames, columnNames, tracks }: HeatMap,
  { left, top, down, rowHeight, columnWidth, tracksTop, fontFamily }: Written,
): void {
  context.textAlign = 'right'
  context.font = `11px ${fontFamily}`
  for (const [index, { title }] of tracks.entries()) {
    const y = tracksTop + index * (TRACK_HEIGHT + TRACK_GAP) + TRACK_HEIGHT / 2
    context.fillText(title, left - 6, y, left - 8)
  }
  if (rowHeight >= NAMED_ROW) {
    context.font = `${Math.min(12, rowHeight - 2)}px ${fontFamily}`
    for (const [row, name] of rowNames.entries()) {
      context.fillText(name, left - 6, top + (row + 0.5) * rowHeight, left - 8)
    }
  }
  if (columnWidth < NAMED_COLUMN) return
  context.font = `${Math.min(11, columnWidth - 1)}px ${fontFamily}`
  for (const [column, name] of columnNames.entries()) {
    context.save()
    context.translate(left + (column + 0.5) * columnWidth, top + down + 5)
    context.rotate(-Math.PI / 2)
    context.fillText(name, 0, 0, COLUMN_NAMES - 8)
    context.restore()
  }
}

function paintTracks(
  context: CanvasRenderingContext2D,
  { tracks }: HeatMap,
  { left, columnWidth, tracksTop }: Layout,
): void {
  for (const [index, { colors }] of tracks.entries()) {
    const y = tracksTop + index * (TRACK_HEIGHT + TRACK_GAP)
    for (const [column, color] of colors.entries()) {
      if (color === undefined) continue
      context.fillStyle = color
      context.fillRect(left + column * columnWidth, y, columnWidth, TRACK_HEIGHT)
    }
  }
}

const heightOf = (tree: readonly Branch[]) => Math.max(1e-9, ...tree.map(({ height }) => height))

function paintColumnTree(
  context: CanvasRenderingContext2D,
  { columnTree }: HeatMap,
  { left, columnWidth, tracksTop, columnTree: room }: Layout,
): void {
  const scale = (room - 2 * TREE_GAP) / heightOf(columnTree)
  const x = (middle: number) => left + (middle + 0.5) * columnWidth
  const y = (height: number) => tracksTop - TREE_GAP - height * scale
  context.beginPath()
  for (const { parts, height } of columnTree) {
    const [one, other] = parts
    context.moveTo(x(one.middle), y(one.height))
    context.lineTo(x(one.middle), y(height))
    context.lineTo(x(other.middle), y(height))
    context.lineTo(x(other.middle), y(other.height))
  }
  context.stroke()
}

function paintRowTree(
  context: CanvasRenderingContext2D,
  { rowTree }: HeatMap,
  { left, across, top, rowHeight, rowTree: room }: Layout,
): void {
  const scale = (room - 2 * TREE_GAP) / heightOf(rowTree)
  const x = (height: number) => left + across + TREE_GAP + height * scale
  const y = (middle: number) => top + (middle + 0.5) * rowHeight
  context.beginPath()
  for (const { parts, height } of rowTree) {
    const [one, other] = parts
    context.moveTo(x(one.height), y(one.middle))
    context.lineTo(x(height), y(one.middle))
    context.lineTo(x(height), y(other.middle))
    context.lineTo(x(other.height), y(other.middle))
  }
  context.stroke()
}

/** Draws the legend of colours: a bar from low to high with three numbers, and the colour of unknown values. */
function paintScale(
  context: CanvasRenderingContext2D,
  most: number,
  { left, width }: Layout,
): void {
  const scale = Math.min(MAX_SCALE, width - left - UNKNOWN_ROOM)
  const words = context.fillStyle
  for (let x = 0; x < scale; x++) {
    const [red, green, blue] = colorOf((2 * x) / (scale - 1) - 1)
    context.fillStyle = `rgb(${red} ${green} ${blue})`
    context.fillRect(left + x, 2, 1, 10)
  }
  const [red, green, blue, alpha] = colorOf(Number.NaN)
  context.fillStyle = `rgb(${red} ${green} ${blue} / ${alpha / 255})`
  context.fillRect(left + scale + 44, 2, 16, 10)
  context.fillStyle = words
  const labels = [`≤ −${most}`, '0', `≥ ${most}`]
  for (const [index, label] of labels.entries()) {
    context.textAlign = index === 0 ? 'left' : index === 1 ? 'center' : 'right'
    context.fillText(label, left + (index * scale) / 2, 21)
  }
  context.textAlign = 'center'
  context.fillText('unknown', left + scale + 52, 21)
}
