import { LoopTurns } from '../concurrency/loop-turns.ts'

/** Turns whose time is always used up, so that every pause really waits. */
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
