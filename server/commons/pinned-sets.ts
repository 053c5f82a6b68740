import type { Commons } from '../../engine/commons/index.ts'

interface SetsEngine {
  readonly sets: Pick<Commons['sets'], 'pin'>
}

/** Parameters that hold filters, of whatever endpoint. */
const FILTERS = ['filters', 'case_filters', 'other_case_filters'] as const

/**
 * Parameters with the sets that filters name as they are at this moment: what a set is changed to later is another
 * request, also for caches.
 * @throws EngineError too_many
 */
export async function withPinnedSets<Input>({ sets }: SetsEngine, input: Input): Promise<Input> {
  const given = input as Readonly<Record<string, unknown>>
  let pinned = given
  for (const name of FILTERS) {
    if (given[name] === undefined) continue
    const value = await sets.pin(given[name])
    if (value !== given[name]) pinned = { ...pinned, [name]: value }
  }
  return pinned as Input
}
