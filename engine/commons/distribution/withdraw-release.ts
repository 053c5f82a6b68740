import { Objects, type ObjectsContext, type RemovedObjects } from './objects.ts'
import { notOffered } from './publish-release.ts'

export interface WithdrawRun {
  readonly signal?: AbortSignal | undefined
}

/** A release that is offered no more, and what has gone from the bucket with it. */
export interface WithdrawnRelease extends RemovedObjects {
  readonly id: string
}

/**
 * Offers a release no more, and removes from the bucket what only it has. First nobody is offered it any
 * more, then objects go: broken off at any moment, calling it again goes on. Nodes remove what they fetched
 * of it. Its id means no other files ever.
 * @throws EngineError not_found when no such release is offered; conflict when it is the current one, or
 *   a node serves it; corrupt_source when it cannot be known what other releases have; unavailable
 */
export async function withdrawRelease(
  id: string,
  context: ObjectsContext,
  run: WithdrawRun = {},
): Promise<WithdrawnRelease> {
  const { offers, clock } = context
  const withdrawn = await offers.withdraw(id, clock().toISOString())
  if (!withdrawn) throw await notOffered(offers, id)
  // What is offered from here on was published with a look at this withdrawal.
  const objects = await Objects.read(context, run)
  const removed = await objects.removeOf(withdrawn, run)
  await offers.endWithdrawal(id, clock().toISOString())
  return { id, ...removed }
}
