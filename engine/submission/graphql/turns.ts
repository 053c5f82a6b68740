import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'

/** Maximum length of a list that resolves at once. */
const ROWS_AT_ONCE = 50
/**
 * Number of rows of a long list that resolve per turn, which takes some milliseconds. It is not more than MAX_KEYS
 * of Batches, so that one statement loads a field of all of them.
 */
const ROWS_OF_A_TURN = 250

/**
 * Returns the elements of a list. A long list resolves in several turns of the event loop, so that other
 * requests are served. The rows of one turn resume together, so Batches loads their fields together.
 */
export function inTurns<Row>(
  rows: readonly Row[],
  turns: LoopTurns,
): readonly (Row | Promise<Row>)[] {
  if (rows.length <= ROWS_AT_ONCE) return rows
  let turn: Promise<unknown> = Promise.resolve()
  const elements: Promise<Row>[] = []
  for (let start = 0; start < rows.length; start += ROWS_OF_A_TURN) {
    turn = turn.then(() => turns.next())
    const come = turn
    for (const row of rows.slice(start, start + ROWS_OF_A_TURN)) {
      elements.push(come.then(() => row))
    }
  }
  return elements
}
