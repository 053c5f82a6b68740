import type { Commons } from '../../engine/commons/index.ts'

interface SetsEngine {
  readonly sets: Pick<Commons['sets'], 'pin'>
}

/** Names of the parameters that contain filters, in any endpoint. */
const FILTERS = ['filters', 'case_filters', 'other_case_filters'] as const

/**
 * Returns parameters with references to sets replaced by the sets' current versions. So the same request has a
 * different cache key after a set has changed.
 * @throws EngineError too_many for too many references
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
