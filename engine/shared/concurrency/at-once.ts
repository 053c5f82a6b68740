/** Runs a generator to its end and returns its result. */
export function atOnce<Result>(steps: Iterator<unknown, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
