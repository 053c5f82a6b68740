import type { Rectangle } from './rectangle.ts'
import { addTip } from './tip.ts'

/** Parts of a picture on a canvas, which can be pointed at and opened. */
interface Spots<Spot> {
  readonly canvas: HTMLCanvasElement
  /** Returns the part at a point, in CSS pixels of the canvas. */
  readonly at: (x: number, y: number) => Spot | undefined
  /** Returns the part to which an arrow key leads from another one, or from none. */
  readonly step: (from: Spot | undefined, key: string) => Spot
  /** Returns where a part is. It may have to be brought into view for that. */
  readonly rectangleOf: (spot: Spot) => Rectangle
  readonly describe: (spot: Spot) => string
  readonly open: (spot: Spot) => void
}

const ARROWS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']

/**
 * Makes the parts of a canvas tell what they are by mouse, keys and touch. A click, Enter or the second touch opens
 * one. Returns a function that shows none.
 * @param whole positioned element around the canvas
 * @param stop element that takes the focus
 */
export function openSpots<Spot>(
  whole: HTMLElement,
  stop: HTMLElement,
  { canvas, at, step, rectangleOf, describe, open }: Spots<Spot>,
): () => void {
  const frame = document.createElement('div')
  frame.className = 'spot'
  frame.hidden = true
  whole.append(frame)
  const tip = addTip(whole)
  let now: Spot | undefined
  let isTouch = false
  const isNow = (spot: Spot) => JSON.stringify(spot) === JSON.stringify(now)
  const hide = () => {
    now = undefined
    frame.hidden = true
    tip.hide()
  }
  const show = (spot: Spot) => {
    now = spot
    const { x, y, width, height } = rectangleOf(spot)
    const [inner, outer] = [canvas.getBoundingClientRect(), whole.getBoundingClientRect()]
    Object.assign(frame.style, {
      left: `${inner.left - outer.left + x}px`,
      top: `${inner.top - outer.top + y}px`,
      width: `${width}px`,
      height: `${height}px`,
    })
    frame.hidden = false
    tip.show(describe(spot), frame.getBoundingClientRect())
  }
  const pointed = ({ clientX, clientY }: MouseEvent) => {
    const { left, top } = canvas.getBoundingClientRect()
    return at(clientX - left, clientY - top)
  }
  canvas.addEventListener('pointerdown', ({ pointerType }) => {
    isTouch = pointerType === 'touch'
  })
  canvas.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'touch') return
    const spot = pointed(event)
    canvas.classList.toggle('pointing', spot !== undefined)
    if (spot === undefined) hide()
    else if (!isNow(spot)) show(spot)
  })
  canvas.addEventListener('pointerleave', ({ pointerType }) => {
    if (pointerType !== 'touch') hide()
  })
  canvas.addEventListener('click', (event) => {
    const spot = pointed(event)
    if (spot === undefined) return hide()
    if (isTouch && !isNow(spot)) return show(spot)
    open(spot)
  })
  stop.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') return hide()
    if (event.key === 'Enter' && now !== undefined) return open(now)
    if (!ARROWS.includes(event.key)) return
    event.preventDefault()
    show(step(now, event.key))
  })
  stop.addEventListener('blur', hide)
  return hide
}
