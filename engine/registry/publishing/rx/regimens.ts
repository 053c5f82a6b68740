import type { Caller } from '../../../shared/access/roles.ts'
import type { PublishedRecord } from '../answers.ts'
import type { PublishingArea } from '../publishing-area.ts'
import type { Rx } from './definition.ts'

/**
 * Returns the regimens of a version that include a drug, ordered by id.
 * @throws EngineError `not_found` for an unknown version or drug
 */
export async function regimensOf(
  rx: Pick<PublishingArea<Rx>, 'record' | 'matching'>,
  caller: Caller,
  version: string,
  id: string,
): Promise<PublishedRecord<Rx>[]> {
  await rx.record(caller, version, id)
  return rx.matching(caller, version, { type: ['REGIMEN'], drugs: [id] })
}
