/** Runs a generator to its end without a pause, and returns its result. The values that it yields are dropped. */
export function atOnce<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
