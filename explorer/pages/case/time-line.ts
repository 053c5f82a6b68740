import { axisX, axisY, dot, plot, ruleX, ruleY } from '@observablehq/plot'
import type { CaseEvent } from './case-events.ts'

/** Height in CSS pixels. */
const LINE_HEIGHT = 30
const DAYS_PER_YEAR = 365.25
/** Earlier events are left out: births are decades earlier and would compress all others to one point. */
const LONG_BEFORE = -5 * DAYS_PER_YEAR

/** Returns the events that the time line can show. */
export const shownEvents = (events: readonly CaseEvent[]) =>
  events.flatMap(({ day, what, facts }) =>
    day === undefined || day < LONG_BEFORE ? [] : [{ day, what, facts }],
  )

/** Draws a line for each kind of event and a point for each event, by days since the index date. */
export function timeLine(width: number, events: readonly CaseEvent[]): SVGSVGElement | HTMLElement {
  const shown = shownEvents(events)
  const kinds = [...new Set(shown.map(({ what }) => what))]
  return plot({
    width,
    height: kinds.length * LINE_HEIGHT + 70,
    marginLeft: 90,
    marginRight: 30,
    marginBottom: 42,
    ariaLabel: `Events of ${kinds.join(', ')} by day`,
    x: { label: 'Days since the index date', nice: true, grid: true },
    y: { label: null, domain: kinds, type: 'point', padding: 0.5 },
    marks: [
      ruleY(kinds, { y: (kind: string) => kind, stroke: 'var(--line)' }),
      ruleX([0], { stroke: 'var(--soft)' }),
      axisX({ anchor: 'bottom', ticks: Math.max(2, Math.floor(width / 110)) }),
      axisY({ tickSize: 0 }),
      dot(shown, {
        x: 'day',
        y: 'what',
        r: 5,
        fill: 'var(--series-1)',
        fillOpacity: 0.8,
        title: ({ what, day, facts }: (typeof shown)[number]) => `${what}, day ${day}: ${facts}`,
      }),
    ],
  })
}
