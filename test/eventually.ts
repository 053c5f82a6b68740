import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'

/** Far longer than any wait takes, so that a busy machine causes no failure. */
const MAX_WAIT_MS = 60_000

/** Retries an assertion until it holds, and returns its result. */
export function eventually<T>(assert: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(assert, { timeout: MAX_WAIT_MS })
}

const TURN_MS = 25
const STEADY_TURNS = 40

/**
 * Waits until a count has not changed for forty turns of the loop that also produces what is counted, and
 * returns it. Throws if it never settles, because then nothing holds the producer back.
 */
export async function steady(count: () => number): Promise<number> {
  let last = Number.NaN
  let turns = 0
  for (let waited = 0; waited < MAX_WAIT_MS; waited += TURN_MS) {
    const now = count()
    turns = now === last ? turns + 1 : 0
    last = now
    if (turns === STEADY_TURNS) return now
    await sleep(TURN_MS)
  }
  throw new Error(`still growing: ${last}`)
}
