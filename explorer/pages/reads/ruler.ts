import { axisX, plot } from '@observablehq/plot'

/** A part of a reference, 1-based and inclusive, and where it is drawn. */
interface RulerPart {
  readonly start: number
  readonly end: number
  /** Width of the ruler, and ends of the part in it, in CSS pixels. */
  readonly width: number
  readonly left: number
  readonly right: number
}

/** Space for a tick and its label, in CSS pixels. */
const TICK_WIDTH = 150

/** Draws the positions above reads. The ruler of igv.js cuts its first and last label. */
export function ruler({ start, end, width, left, right }: RulerPart): SVGSVGElement | HTMLElement {
  return plot({
    width,
    height: 28,
    marginTop: 24,
    marginBottom: 2,
    marginLeft: left,
    marginRight: width - right,
    ariaLabel: `Positions ${start.toLocaleString('en')} to ${end.toLocaleString('en')}`,
    x: { domain: [start, end] },
    marks: [
      axisX({
        anchor: 'top',
        label: null,
        ticks: Math.max(2, Math.floor((right - left) / TICK_WIDTH)),
        tickFormat: (place: number) => place.toLocaleString('en'),
      }),
    ],
  })
}
