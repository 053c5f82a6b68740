import { setTimeout } from 'node:timers/promises'
import { Broken, ResponseError } from './errors.ts'
import type { Link } from './link.ts'
import type { Patience } from './trip.ts'

/** Longest Retry-After to wait for, in seconds. */
const LONGEST_RETRY_AFTER = 600

export interface Retrying {
  readonly link: Link
  readonly patience: Patience
  readonly signal: AbortSignal
}

/**
 * Retries a task until it succeeds. Pauses grow, unless the server requests a certain pause. A task that calls
 * `advanced` has made progress, and all its attempts are available again.
 * @throws the error of the last attempt
 */
export async function retrying<Result>(
  { link, patience, signal }: Retrying,
  task: (advanced: () => void) => Promise<Result>,
): Promise<Result> {
  let failures = 0
  const before = link.answers
  const advanced = () => {
    failures = 0
  }
  for (;;) {
    try {
      signal.throwIfAborted()
      if (link.isLost) throw new Broken('the server stopped responding', false)
      return await task(advanced)
    } catch (error) {
      signal.throwIfAborted()
      failures++
      const pause = pauseAfter(error, failures, patience)
      if (pause === undefined) {
        // The other files can fail at once, because the server cannot be reached.
        if (error instanceof Broken && link.answers === before) link.isLost = true
        throw error
      }
      await setTimeout(pause, undefined, { signal })
    }
  }
}

/** Returns the milliseconds until the next attempt, or undefined if there is no further attempt. */
function pauseAfter(error: unknown, failures: number, patience: Patience): number | undefined {
  const { tries, firstPauseMs, longestPauseMs } = patience
  const isPassing = (error instanceof ResponseError || error instanceof Broken) && error.isPassing
  if (!isPassing || failures >= tries) return undefined
  // Random jitter, so that connections which failed together do not retry together.
  const grown = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1))
  const pause = grown * (0.5 + Math.random() / 2)
  const asked = error instanceof ResponseError ? error.retryAfter : undefined
  if (asked === undefined) return pause
  return asked > LONGEST_RETRY_AFTER ? undefined : asked * 1000 + pause / 2
}
