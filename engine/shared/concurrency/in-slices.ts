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
