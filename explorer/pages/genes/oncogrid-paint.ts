import type { Track } from '../../cohort/tracks.ts'
import { COPY_CLASSES, MUTATION_CLASSES } from './change-classes.ts'
import type { DrawnCells } from './oncogrid.ts'

/** Data of the grid. Cases are in the order of `order`. */
export interface GridPicture {
  readonly genes: readonly { readonly name: string; readonly share: string }[]
  readonly cells: DrawnCells
  readonly order: Uint32Array
  readonly tracks: readonly Track[]
}

/** Visible part of the grid, in CSS pixels. */
interface GridView {
  readonly width: number
  readonly height: number
  readonly columnWidth: number
  readonly left: number
  readonly top: number
}

/** Sizes of the parts that do not scroll, in CSS pixels. */
interface GridRoom {
  readonly names: number
  readonly shares: number
  readonly tracks: number
}

export const ROW_HEIGHT = 17
const ROW_GAP = 2
const TRACK_HEIGHT = 13
const TRACK_GAP = 3
/** Column width from which columns have gaps. */
const APART_FROM = 5

export function roomOf(width: number, tracks: number): GridRoom {
  return {
    names: width < 500 ? 84 : 124,
    shares: 44,
    tracks: tracks === 0 ? 0 : tracks * (TRACK_HEIGHT + TRACK_GAP) + 6,
  }
}

/** Heights by severity, so that mutations can be distinguished without colours. */
const TALL = [0.8, 0.55, 0.3]

/** Cached tracks, which do not change while scrolling vertically. */
interface DrawnTracks {
  key: string
  readonly canvas: HTMLCanvasElement
}

export const noTracks = (): DrawnTracks => ({ key: '', canvas: document.createElement('canvas') })

/**
 * Draws the visible part of the grid.
 * @param scale canvas pixels per CSS pixel
 */
export function paintGrid(
  context: CanvasRenderingContext2D,
  picture: GridPicture,
  view: GridView,
  { scale, drawn }: { readonly scale: number; readonly drawn: DrawnTracks },
): void {
  const { width, height } = view
  const room = roomOf(width, picture.tracks.length)
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim()
  context.fillStyle = color('raised')
  context.fillRect(0, 0, width, height)
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`
  context.textBaseline = 'middle'
  const columns = seenColumns(picture, view, room, scale)
  const key = [view.left, view.columnWidth, color('raised'), color('cell')].join(' ')
  if (room.tracks > 0 && drawn.key !== key) {
    drawn.key = key
    drawn.canvas.width = Math.round(width * scale)
    drawn.canvas.height = Math.round(room.tracks * scale)
    const own = drawn.canvas.getContext('2d')
    if (own) {
      own.scale(scale, scale)
      own.font = context.font
      own.textBaseline = 'middle'
      paintTracks(own, picture, view, room, columns, color)
    }
  }
  if (room.tracks > 0) context.drawImage(drawn.canvas, 0, 0, width, room.tracks)
  context.save()
  context.beginPath()
  context.rect(0, room.tracks, width, height - room.tracks)
  context.clip()
  paintCells(context, picture, view, room, columns, color)
  paintNames(context, picture, view, room, color)
  context.restore()
}

interface Columns {
  readonly first: number
  readonly end: number
  readonly x: (column: number) => number
  readonly wide: (column: number) => number
}

/** Returns the visible columns. Each starts at a whole canvas pixel, so that neighbours do not blend. */
function seenColumns(picture: GridPicture, view: GridView, room: GridRoom, scale: number): Columns {
  const { columnWidth, left, width } = view
  const inner = width - room.names - room.shares
  const apart = columnWidth >= APART_FROM ? 1 : 0
  const x = (column: number) =>
    Math.round((room.names + column * columnWidth - left) * scale) / scale
  return {
    first: Math.max(0, Math.floor(left / columnWidth)),
    end: Math.min(picture.order.length, Math.ceil((left + inner) / columnWidth)),
    x,
    // If columns share a pixel, the later one is drawn over the earlier one.
    wide: (column) => Math.max(1 / scale, x(column + 1) - x(column) - apart),
  }
}

type ColorOf = (name: string) => string

function paintTracks(
  context: CanvasRenderingContext2D,
  { tracks, order }: GridPicture,
  view: GridView,
  room: GridRoom,
  { first, end, x, wide }: Columns,
  color: ColorOf,
): void {
  for (const [i, { title, colors }] of tracks.entries()) {
    const y = i * (TRACK_HEIGHT + TRACK_GAP)
    context.save()
    context.beginPath()
    context.rect(room.names, y, view.width - room.names - room.shares, TRACK_HEIGHT)
    context.clip()
    context.fillStyle = color('cell')
    context.fillRect(room.names, y, view.width, TRACK_HEIGHT)
    for (let column = first; column < end; column++) {
      const own = colors[order[column] ?? 0]
      if (own === undefined) continue
      context.fillStyle = own
      context.fillRect(x(column), y, wide(column), TRACK_HEIGHT)
    }
    context.restore()
    context.fillStyle = color('soft')
    context.textAlign = 'right'
    context.fillText(title, room.names - 8, y + TRACK_HEIGHT / 2 + 1, room.names - 10)
  }
}

function seenGenes({ genes }: GridPicture, { top, height }: GridView, room: GridRoom) {
  return {
    first: Math.max(0, Math.floor(top / ROW_HEIGHT)),
    end: Math.min(genes.length, Math.ceil((top + height - room.tracks) / ROW_HEIGHT)),
    y: (gene: number) => room.tracks + gene * ROW_HEIGHT - top,
  }
}

function paintCells(
  context: CanvasRenderingContext2D,
  picture: GridPicture,
  view: GridView,
  room: GridRoom,
  columns: Columns,
  color: ColorOf,
): void {
  const { cells, order } = picture
  const { first, end, x, wide } = columns
  const genes = seenGenes(picture, view, room)
  const inner = Math.min(view.width - room.names - room.shares, x(order.length) - room.names)
  const tall = ROW_HEIGHT - ROW_GAP
  context.save()
  context.beginPath()
  context.rect(room.names, 0, inner, view.height)
  context.clip()
  context.fillStyle = color('cell')
  for (let gene = genes.first; gene < genes.end; gene++) {
    context.fillRect(room.names, genes.y(gene), inner, tall)
  }
  if (view.columnWidth >= APART_FROM) {
    context.fillStyle = color('raised')
    for (let column = first; column <= end; column++) {
      context.fillRect(x(column) - 1, room.tracks, 1, view.height)
    }
  }
  const each = (marks: Uint8Array, mark: number, share: number, name: string) => {
    context.fillStyle = color(name)
    const high = tall * share
    for (let column = first; column < end; column++) {
      const row = order[column] ?? 0
      const last = cells.offsets[row + 1] ?? 0
      for (let i = cells.offsets[row] ?? 0; i < last; i++) {
        const gene = cells.genes[i] ?? 0
        if (marks[i] !== mark || gene < genes.first || gene >= genes.end) continue
        context.fillRect(x(column), genes.y(gene) + (tall - high) / 2, wide(column), high)
      }
    }
  }
  for (const [i, name] of COPY_CLASSES.entries()) each(cells.copies, i + 1, 1, name)
  // The most severe class is drawn last, so that it stays visible where columns share a pixel.
  for (let i = MUTATION_CLASSES.length - 1; i >= 0; i--) {
    each(cells.mutations, i + 1, TALL[i] ?? 1, MUTATION_CLASSES[i] ?? '')
  }
  context.restore()
}

function paintNames(
  context: CanvasRenderingContext2D,
  picture: GridPicture,
  view: GridView,
  room: GridRoom,
  color: ColorOf,
): void {
  const genes = seenGenes(picture, view, room)
  for (let gene = genes.first; gene < genes.end; gene++) {
    const { name = '', share = '' } = picture.genes[gene] ?? {}
    const middle = genes.y(gene) + (ROW_HEIGHT - ROW_GAP) / 2 + 1
    context.fillStyle = color('text')
    context.textAlign = 'right'
    context.fillText(name, room.names - 8, middle, room.names - 10)
    context.fillStyle = color('soft')
    context.textAlign = 'right'
    context.fillText(share, view.width - 4, middle, room.shares - 6)
  }
}
