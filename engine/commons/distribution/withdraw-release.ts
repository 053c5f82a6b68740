import { Objects, type ObjectsContext, type RemovedObjects } from './objects.ts'
import { notOffered } from './publish-release.ts'

export interface WithdrawRun {
  readonly signal?: AbortSignal | undefined
}

/** A withdrawn release, and the objects that were removed with it. */
export interface WithdrawnRelease extends RemovedObjects {
  readonly id: string
}

/**
 * Withdraws the offer of a release (see Distribution) and removes the objects that no other release uses. The
 * offer ends first, so that no node can start to download the release. After an interruption, the call can be
 * repeated. Nodes remove their own copies. The id is never reused for other files.
 * @throws EngineError not_found if it is not offered; conflict if it is current or a node serves it;
 *   corrupt_source if the objects of other releases cannot be determined; unavailable
 */
export async function withdrawRelease(
  id: string,
  context: ObjectsContext,
  run: WithdrawRun = {},
): Promise<WithdrawnRelease> {
  const { offers, clock } = context
  const withdrawn = await offers.withdraw(id, clock().toISOString())
  if (!withdrawn) throw await notOffered(offers, id)
  // Publications that start after this point take the withdrawal into account.
  const objects = await Objects.read(context, run)
  const removed = await objects.removeOf(withdrawn, run)
  await offers.endWithdrawal(id, clock().toISOString())
  return { id, ...removed }
}
