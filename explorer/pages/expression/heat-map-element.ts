import { counted } from '../../parts/counted.ts'
import { addTip } from '../../parts/tip.ts'
import { type HeatMap, layoutOf } from './heat-map.ts'
import { paintHeatMap } from './heat-map-paint.ts'
import { rectangleOf, type Spot, spotAt, stepFrom } from './heat-map-spots.ts'

/** Callbacks of a heat map. */
interface HeatMapEvents {
  readonly describe: (spot: Spot) => string
  readonly open: (spot: Spot) => void
}

const FIRST: Spot = { kind: 'cell', row: 0, column: 0 }
const ARROWS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight']

/**
 * Creates a heat map whose parts tell what they are by mouse, keys and touch. A click, Enter or the second touch
 * opens a part.
 */
export function heatMapElement(
  width: number,
  map: HeatMap,
  { describe, open }: HeatMapEvents,
): HTMLElement {
  const layout = layoutOf(width, map)
  const canvas = paintHeatMap(map, layout)
  canvas.setAttribute('role', 'img')
  canvas.setAttribute(
    'aria-label',
    `Heat map of ${counted(map.rowNames.length, 'gene')} by ${counted(map.columnNames.length, 'case')}; the table has the values`,
  )
  const whole = document.createElement('div')
  whole.className = 'heat-map'
  whole.tabIndex = 0
  whole.setAttribute('role', 'group')
  whole.setAttribute('aria-label', 'Genes by cases; arrow keys lead through it, Enter opens a part')
  const frame = document.createElement('div')
  frame.className = 'spot'
  frame.hidden = true
  whole.append(canvas, frame)
  const tip = addTip(whole)
  let now: Spot | undefined
  let isTouch = false
  const hide = () => {
    now = undefined
    frame.hidden = true
    tip.hide()
  }
  const show = (spot: Spot) => {
    now = spot
    const { x, y, width: wide, height: high } = rectangleOf(spot, layout)
    Object.assign(frame.style, {
      left: `${x}px`,
      top: `${y}px`,
      width: `${wide}px`,
      height: `${high}px`,
    })
    frame.hidden = false
    tip.show(describe(spot), frame.getBoundingClientRect())
  }
  const pointed = ({ clientX, clientY }: MouseEvent) => {
    const { left, top } = canvas.getBoundingClientRect()
    return spotAt(map, layout, clientX - left, clientY - top)
  }
  whole.addEventListener('pointerdown', ({ pointerType }) => {
    isTouch = pointerType === 'touch'
  })
  whole.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'touch') return
    const spot = pointed(event)
    canvas.classList.toggle('pointing', spot !== undefined)
    if (!spot) hide()
    else if (JSON.stringify(spot) !== JSON.stringify(now)) show(spot)
  })
  whole.addEventListener('pointerleave', (event) => {
    if (event.pointerType !== 'touch') hide()
  })
  whole.addEventListener('click', (event) => {
    const spot = pointed(event)
    if (!spot) return hide()
    if (isTouch && JSON.stringify(spot) !== JSON.stringify(now)) return show(spot)
    open(spot)
  })
  whole.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') return hide()
    if (event.key === 'Enter' && now) return open(now)
    if (!ARROWS.includes(event.key)) return
    event.preventDefault()
    show(now ? stepFrom(map, now, event.key) : FIRST)
  })
  whole.addEventListener('blur', hide)
  return whole
}
