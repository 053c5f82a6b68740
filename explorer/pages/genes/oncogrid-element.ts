import { counted } from '../../parts/counted.ts'
import { openSpots } from '../../parts/spots.ts'
import { type GridPicture, noTracks, paintGrid, ROW_HEIGHT, roomOf } from './oncogrid-paint.ts'

/** A cell of the grid, or without a column the name of a gene. */
export interface GridSpot {
  /** Index in the order of cases. */
  readonly column?: number
  readonly gene: number
}

/** Callbacks of the grid. */
interface GridEvents {
  readonly describe: (spot: GridSpot) => string
  readonly open: (spot: GridSpot) => void
}

const MAX_HEIGHT = 560
const WIDEST = 24
/** Zoom factor of each step. */
const ZOOM = 2
/** Maximum size of a saved canvas, limited by browsers. Twice the width of a large screen is enough for print. */
const MAX_SAVED = 8000
const SAVED_SCALE = 2

/**
 * Creates a scrolling element with the grid. The canvas is only as large as the visible part, so that two
 * thousand cases by two hundred genes scroll as fast as a few.
 */
export function oncogridElement(
  width: number,
  picture: GridPicture,
  { describe, open }: GridEvents,
): HTMLElement {
  const room = roomOf(width, picture.tracks.length)
  const rows = picture.genes.length * ROW_HEIGHT
  const height = room.tracks + Math.min(rows, MAX_HEIGHT)
  const fitting = (width - room.names - room.shares) / Math.max(1, picture.order.length)
  let columnWidth = Math.min(fitting, WIDEST)

  const canvas = document.createElement('canvas')
  const scale = globalThis.devicePixelRatio || 1
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
  canvas.setAttribute('role', 'img')
  canvas.setAttribute(
    'aria-label',
    `Grid of ${counted(picture.genes.length, 'gene')} by ${counted(picture.order.length, 'case')}; the table has all of it`,
  )
  const context = canvas.getContext('2d')
  context?.scale(scale, scale)

  const space = document.createElement('div')
  space.append(canvas)
  const scroller = document.createElement('div')
  scroller.className = 'grid-scroller'
  scroller.tabIndex = 0
  scroller.setAttribute('role', 'region')
  scroller.setAttribute(
    'aria-label',
    'Genes by cases; arrow keys lead through it, Enter opens a part, + and - zoom',
  )
  scroller.style.height = `${height + 16}px`
  scroller.append(space)
  const drawn = noTracks()
  let isAwaited = false
  const draw = () => {
    isAwaited = false
    const { scrollLeft: left, scrollTop: top } = scroller
    const view = { width, height, columnWidth, left, top }
    if (context) paintGrid(context, picture, view, { scale, drawn })
  }
  const drawSoon = () => {
    if (isAwaited) return
    isAwaited = true
    requestAnimationFrame(draw)
  }
  const widen = () => {
    const columns = columnWidth * picture.order.length
    space.style.width = `${Math.max(width, room.names + room.shares + columns)}px`
    space.style.height = `${room.tracks + rows}px`
  }
  const zoomTo = (wanted: number) => {
    const next = Math.min(WIDEST, Math.max(Math.min(fitting, WIDEST), wanted))
    const half = (width - room.names - room.shares) / 2
    const middle = (scroller.scrollLeft + half) / columnWidth
    columnWidth = next
    widen()
    scroller.scrollLeft = middle * columnWidth - half
    drawSoon()
  }
  const at = (x: number, y: number): GridSpot | undefined => {
    const gene = Math.floor((y - room.tracks + scroller.scrollTop) / ROW_HEIGHT)
    if (y < room.tracks || gene >= picture.genes.length) return undefined
    if (x < room.names || x > width - room.shares) return { gene }
    const column = Math.floor((x - room.names + scroller.scrollLeft) / columnWidth)
    return column < picture.order.length ? { column, gene } : undefined
  }
  const step = (from: GridSpot | undefined, key: string): GridSpot => {
    const next = from ? stepFrom(from, key) : { column: 0, gene: 0 }
    reveal(next)
    return next
  }
  const stepFrom = (from: GridSpot, key: string): GridSpot => {
    const [down, right] = STEPS[key] ?? [0, 0]
    const gene = within(from.gene + down, picture.genes.length)
    // The names of the genes are before the first case.
    const column = (from.column ?? -1) + right
    return column < 0 ? { gene } : { column: within(column, picture.order.length), gene }
  }
  let [shownLeft, shownTop] = [0, 0]
  const reveal = ({ column, gene }: GridSpot) => {
    const [down, across] = [height - room.tracks, width - room.names - room.shares]
    scroller.scrollTop = nearest(scroller.scrollTop, gene * ROW_HEIGHT, down - ROW_HEIGHT)
    if (column === undefined) return
    scroller.scrollLeft = nearest(scroller.scrollLeft, column * columnWidth, across - columnWidth)
  }
  const rectangleOf = ({ column, gene }: GridSpot) => {
    const { scrollLeft, scrollTop } = scroller
    shownLeft = scrollLeft
    shownTop = scrollTop
    const y = room.tracks + gene * ROW_HEIGHT - scrollTop
    if (column === undefined) return { x: 0, y, width: room.names, height: ROW_HEIGHT }
    const x = room.names + column * columnWidth - scrollLeft
    return { x, y, width: Math.max(3, columnWidth), height: ROW_HEIGHT }
  }
  scroller.addEventListener('keydown', ({ key, ctrlKey, metaKey }) => {
    if (ctrlKey || metaKey) return
    if (key === '+' || key === '=') zoomTo(columnWidth * ZOOM)
    else if (key === '-') zoomTo(columnWidth / ZOOM)
  })

  const bar = document.createElement('div')
  bar.className = 'actions'
  bar.append(
    button('Zoom in', () => zoomTo(columnWidth * ZOOM)),
    button('Zoom out', () => zoomTo(columnWidth / ZOOM)),
    button('All cases', () => zoomTo(0)),
  )
  const whole = document.createElement('div')
  whole.className = 'oncogrid'
  whole.append(bar, scroller)
  const hide = openSpots<GridSpot>(whole, scroller, {
    canvas,
    at,
    step,
    rectangleOf,
    describe,
    open,
  })
  const follow = () => {
    // The cells move away from under the frame, unless a key moved them before it.
    if (scroller.scrollLeft !== shownLeft || scroller.scrollTop !== shownTop) hide()
    drawSoon()
  }
  scroller.addEventListener('scroll', follow, { passive: true })
  widen()
  draw()
  return whole
}

/** Returns the scroll position, nearest to the present one, at which a place is seen with `room` before it. */
const nearest = (scrolled: number, place: number, room: number) =>
  Math.min(place, Math.max(scrolled, place - room))

const within = (place: number, count: number) => Math.max(0, Math.min(count - 1, place))

const STEPS: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

function button(text: string, click: () => void): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.textContent = text
  made.addEventListener('click', click)
  return made
}

/** Draws the whole grid as one image, of the maximum width that browsers allow. */
export function wholeGrid(width: number, picture: GridPicture): HTMLCanvasElement {
  const room = roomOf(width, picture.tracks.length)
  const canvas = document.createElement('canvas')
  const cases = Math.max(1, picture.order.length)
  const inner =
    Math.max(width, Math.min(MAX_SAVED / SAVED_SCALE, cases * 4)) - room.names - room.shares
  const columnWidth = Math.min(WIDEST, inner / cases)
  const seen = {
    width: room.names + columnWidth * cases + room.shares,
    height: room.tracks + picture.genes.length * ROW_HEIGHT,
  }
  canvas.width = Math.round(seen.width * SAVED_SCALE)
  canvas.height = Math.round(seen.height * SAVED_SCALE)
  const context = canvas.getContext('2d')
  context?.scale(SAVED_SCALE, SAVED_SCALE)
  const view = { ...seen, columnWidth, left: 0, top: 0 }
  if (context) paintGrid(context, picture, view, { scale: SAVED_SCALE, drawn: noTracks() })
  return canvas
}
