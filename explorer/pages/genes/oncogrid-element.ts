import { counted } from '../../parts/counted.ts'
import {
  type GridPicture,
  type GridView,
  noTracks,
  paintGrid,
  ROW_HEIGHT,
  roomOf,
} from './oncogrid-paint.ts'

/** Callbacks of the grid. */
interface GridEvents {
  /** Describes the cell under the pointer. */
  readonly describe: (column: number, gene: number) => string
  readonly openGene: (gene: number) => void
  readonly openCase: (column: number) => void
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
  { describe, openGene, openCase }: GridEvents,
): HTMLElement {
  const room = roomOf(width, picture.tracks.length)
  const rows = picture.genes.length * ROW_HEIGHT
  const height = room.tracks + Math.min(rows, MAX_HEIGHT)
  const fitting = (width - room.names - room.shares) / Math.max(1, picture.order.length)
  let columnWidth = Math.min(fitting, WIDEST)
  let pointed: GridView['pointed']

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
  scroller.setAttribute('aria-label', 'Genes by cases; scrolls by arrow keys, + and - zoom')
  scroller.style.height = `${height + 16}px`
  scroller.append(space)
  const hint = document.createElement('p')
  hint.className = 'soft grid-said'

  const drawn = noTracks()
  let isAwaited = false
  const draw = () => {
    isAwaited = false
    const { scrollLeft: left, scrollTop: top } = scroller
    const view = { width, height, columnWidth, left, top, pointed }
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
  /** Returns the cell at a point of the canvas. Column -1 is the column of gene names. */
  const at = ({ offsetX, offsetY }: MouseEvent) => {
    const gene = Math.floor((offsetY - room.tracks + scroller.scrollTop) / ROW_HEIGHT)
    if (offsetY < room.tracks || gene >= picture.genes.length) return undefined
    if (offsetX < room.names || offsetX > width - room.shares) return { column: -1, gene }
    const column = Math.floor((offsetX - room.names + scroller.scrollLeft) / columnWidth)
    return column < picture.order.length ? { column, gene } : undefined
  }
  canvas.addEventListener('pointermove', (event) => {
    const place = at(event)
    pointed = place && place.column >= 0 ? place : undefined
    canvas.classList.toggle('pointing', place !== undefined)
    hint.textContent = pointed ? describe(pointed.column, pointed.gene) : HINT
    drawSoon()
  })
  canvas.addEventListener('pointerleave', () => {
    pointed = undefined
    hint.textContent = HINT
    drawSoon()
  })
  canvas.addEventListener('click', (event) => {
    const place = at(event)
    if (place === undefined) return
    if (place.column < 0) openGene(place.gene)
    else openCase(place.column)
  })
  scroller.addEventListener('scroll', drawSoon, { passive: true })
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
  hint.textContent = HINT
  const whole = document.createElement('div')
  whole.className = 'oncogrid'
  whole.append(bar, hint, scroller)
  widen()
  draw()
  return whole
}

const HINT = 'Click a gene’s name to open the gene, or a cell to open its case.'

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
