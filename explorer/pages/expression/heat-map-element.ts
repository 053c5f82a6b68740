import { counted } from '../../parts/counted.ts'
import { openSpots } from '../../parts/spots.ts'
import { type HeatMap, layoutOf } from './heat-map.ts'
import { paintHeatMap } from './heat-map-paint.ts'
import { rectangleOf, type Spot, spotAt, stepFrom } from './heat-map-spots.ts'

/** Callbacks of a heat map. */
interface HeatMapEvents {
  readonly describe: (spot: Spot) => string
  readonly open: (spot: Spot) => void
}

const FIRST: Spot = { kind: 'cell', row: 0, column: 0 }

/** Creates a heat map. Its cells, names and branches are described by mouse, keys and touch, and can be opened. */
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
  whole.append(canvas)
  openSpots<Spot>(whole, whole, {
    canvas,
    at: (x, y) => spotAt(map, layout, x, y),
    step: (from, key) => (from ? stepFrom(map, from, key) : FIRST),
    rectangleOf: (spot) => rectangleOf(spot, layout),
    describe,
    open,
  })
  return whole
}
