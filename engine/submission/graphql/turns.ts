import { setImmediate } from 'node:timers/promises'

/** Rows that are resolved in one go, which takes some milliseconds. */
const ROWS_AT_ONCE = 1000

/**
 * The elements of a list; those of a long one come in turns, so that others are answered in between
 * and so that what they ask for is read together.
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
