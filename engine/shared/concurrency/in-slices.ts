import { setImmediate } from 'node:timers/promises'

/** How long other work may have to wait, roughly. */
const SLICE_MILLISECONDS = 8

/** Runs steps to their end and lets other work through in between. */
export async function inSlices<Result>(steps: Iterator<unknown, Result>): Promise<Result> {
  let until = performance.now() + SLICE_MILLISECONDS
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() < until) continue
    await setImmediate()
    until = performance.now() + SLICE_MILLISECONDS
  }
}

/** Runs steps to their end at once. */
export function atOnce<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** To be awaited between steps of work that waits for something itself: as inSlices lets others through. */
export function pauses(): () => Promise<void> {
  let until = performance.now() + SLICE_MILLISECONDS
  return async () => {
    if (performance.now() < until) return
    await setImmediate()
    until = performance.now() + SLICE_MILLISECONDS
  }
}
