import { LoopTurns } from '../concurrency/loop-turns.ts'

/** Turns whose share is used up at each look, so that every pause is one. */
export function eagerTurns(): LoopTurns {
  let now = 0
  return new LoopTurns(() => {
    now += 1000
    return now
  })
}

/** Turns of the event loop that a piece of work takes. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const tick = () => {
    count++
    next = setImmediate(tick)
  }
  let next = setImmediate(tick)
  await work()
  clearImmediate(next)
  return count
}
