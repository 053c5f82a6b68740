import { setTimeout } from 'node:timers/promises'
import { Broken, ResponseError } from './errors.ts'
import type { Link } from './link.ts'
import type { Patience } from './trip.ts'

/** A server that wants to be left alone for longer is not waited for. */
const LONGEST_RETRY_AFTER = 600

export interface Retrying {
  readonly link: Link
  readonly patience: Patience
  readonly signal: AbortSignal
}

/**
 * Tries until it succeeds, with growing pauses, or as long as the server asks for. A task that calls
 * `advanced` got further than before and has all its tries again.
 * @throws what the last try threw: a final error, or a passing one that did not pass
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
      if (link.isLost) throw new Broken('the server does not answer any more', false)
      return await task(advanced)
    } catch (error) {
      signal.throwIfAborted()
      failures++
      const pause = pauseAfter(error, failures, patience)
      if (pause === undefined) {
        // Then all the other files need not find out one by one.
        if (error instanceof Broken && link.answers === before) link.isLost = true
        throw error
      }
      await setTimeout(pause, undefined, { signal })
    }
  }
}

/** Milliseconds until the next try; undefined when there should be none. */
function pauseAfter(error: unknown, failures: number, patience: Patience): number | undefined {
  const { tries, firstPauseMs, longestPauseMs } = patience
  const isPassing = (error instanceof ResponseError || error instanceof Broken) && error.isPassing
  if (!isPassing || failures >= tries) return undefined
  // Half of it by chance: connections that failed together should not come back together.
  const grown = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1))
  const pause = grown * (0.5 + Math.random() / 2)
  const asked = error instanceof ResponseError ? error.retryAfter : undefined
  if (asked === undefined) return pause
  return asked > LONGEST_RETRY_AFTER ? undefined : asked * 1000 + pause / 2
}
