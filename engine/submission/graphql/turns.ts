import { setImmediate } from 'node:timers/promises'

/** Rows resolved at a time, which takes some milliseconds. */
const ROWS_AT_ONCE = 1000

/**
 * Returns the elements of a list. Those of a long list resolve in several turns of the event loop, so that
 * other requests are served and the fields of one turn are loaded together.
 */
export function inTurns<Row>(rows: readonly Row[]): readonly (Row | Promise<Row>)[] {
  if (rows.length <= ROWS_AT_ONCE) return rows
  let turn: Promise<unknown> = Promise.resolve()
  const elements: Promise<Row>[] = []
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    if (start > 0) turn = turn.then(() => setImmediate())
    const come = turn
    for (const row of rows.slice(start, start + ROWS_AT_ONCE)) elements.push(come.then(() => row))
  }
  return elements
}
