import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError } from '../../shared/errors.ts'
import type { Offers, SeenNode } from './offers.ts'
import { findOffer } from './publish-release.ts'

export interface SwitchRun {
  /** Seconds to wait for nodes that are not ready; 600 by default. */
  readonly waitSeconds?: number | undefined
  /** Id of the release from which the next release was built. It must be current until the switch. */
  readonly from?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** Called at each poll that finds nodes that are not ready. */
  readonly onWait?: ((late: readonly SeenNode[], nodes: number) => void) | undefined
}

export interface SwitchedRelease {
  readonly id: string
  /** Id of the previous release. Absent for the first switch. */
  readonly beforeId?: string | undefined
  /** Number of live nodes. */
  readonly nodes: number
  /** Nodes that were not ready. They continue to serve the previous release, and report themselves as not ready. */
  readonly late: readonly SeenNode[]
}

const DEFAULT_WAIT_SECONDS = 600
const LOOK_MILLISECONDS = 500

/**
 * Switches all nodes to an offered release when all live nodes are ready. After the maximum wait, some ready
 * nodes are enough.
 * @throws EngineError not_found if it is not offered; conflict if another switch came first; unavailable if
 *   there are nodes and none is ready in time
 */
export async function switchRelease(
  id: string,
  offers: Offers,
  run: SwitchRun = {},
  lookMilliseconds = LOOK_MILLISECONDS,
): Promise<SwitchedRelease> {
  const { waitSeconds = DEFAULT_WAIT_SECONDS, signal } = run
  await findOffer(offers, id)
  const { epoch, id: before } = await offers.pointer()
  if ('from' in run && before !== run.from && before !== id) throw movedMeanwhile(id, before)
  if (before !== id) await offers.want(id)
  try {
    const end = performance.now() + waitSeconds * 1000
    for (;;) {
      signal?.throwIfAborted()
      // The release may have been withdrawn in the meantime.
      await findOffer(offers, id)
      const nodes = await offers.liveNodes()
      const late = nodes.filter(({ ready }) => !ready.includes(id))
      const facts = { id, beforeId: before, nodes: nodes.length, late }
      if (before === id) return facts
      if (late.length === 0 || performance.now() >= end) {
        if (nodes.length > 0 && late.length === nodes.length) throw noneReady(id, late)
        await offers.moveTo(id, epoch)
        return facts
      }
      run.onWait?.(late, nodes.length)
      await sleep(Math.min(lookMilliseconds, end - performance.now()), undefined, { signal })
    }
  } catch (error) {
    if (before !== id) await offers.want(undefined).catch(() => {})
    throw error
  }
}

function noneReady(id: string, late: readonly SeenNode[]): EngineError {
  const problem = late.find((node) => node.problem !== undefined)?.problem
  const why = problem === undefined ? '' : `; one says: ${problem}`
  const message = `none of ${late.length} nodes is ready for release "${id}", so nothing was switched${why}; wait longer with --wait, or look at casemill release list`
  return new EngineError('unavailable', message)
}

function movedMeanwhile(id: string, before: string | undefined): EngineError {
  const now = before === undefined ? 'there is none' : `"${before}" is current`
  const message = `release "${id}" was made of one that is not the current one any more (${now}); it is offered: switch to it with casemill release switch, or import again`
  return new EngineError('conflict', message)
}
