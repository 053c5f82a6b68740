import type { Rows } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import { type EntityPlace, mostParentsOf, placesBelow, placesOf } from './rows.ts'

/** Maximum number of entities to select by id. Their ids are held in memory. */
const MAX_NAMED = 500_000
/** Maximum number of ids listed in an error. */
const MAX_LISTED = 10

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface Chosen {
  readonly type: EntityType
  /** Ids in the order of creation. */
  readonly ids: Iterable<string> | AsyncIterable<string>
  /** Returns the maximum number of parents per entity, keyed by link. */
  readonly most: () => Promise<ReadonlyMap<string, number>>
}

export interface Choice {
  readonly ids: readonly string[]
  /** Whether to export all descendants too. */
  readonly withChildren: boolean
  /** Categories of descendants to export. Empty exports all. */
  readonly categories: readonly string[]
}

/**
 * Selects entities of a project by their ids, grouped by type (submission.md 12). Unknown ids are ignored as
 * long as one is known.
 * @throws EngineError `not_found` if none is known, `too_many`
 */
export async function chooseById(
  rows: Rows,
  projectId: string,
  { ids, withChildren, categories }: Choice,
  types: ReadonlyMap<string, EntityType>,
): Promise<readonly Chosen[]> {
  const wanted = new Set(ids.map((id) => id.toLowerCase()).filter((id) => ID.test(id)))
  const isKnown = ({ type }: EntityPlace) => types.has(type)
  const named = (await placesOf(rows, projectId, wanted)).filter(isKnown)
  if (named.length === 0) throw noneOf(ids)
  const chosen = new Map(named.map((place) => [place.id, place]))
  if (withChildren) {
    const isWanted = ({ type }: EntityPlace) =>
      categories.length === 0 || categories.includes(types.get(type)?.category ?? '')
    for await (const place of placesUnder(rows, projectId, named)) {
      if (isKnown(place) && isWanted(place)) chosen.set(place.id, place)
      if (chosen.size <= MAX_NAMED) continue
      const message = `there are more than ${MAX_NAMED} entities below; request them by node_label`
      throw new EngineError('too_many', message)
    }
  }
  const inOrder = [...chosen.values()].sort(byCreation)
  const byType = Map.groupBy(inOrder, ({ type }) => type)
  return [...byType.keys()].sort().flatMap((name): Chosen[] => {
    const type = types.get(name)
    const found = (byType.get(name) ?? []).map(({ id }) => id)
    return type ? [{ type, ids: found, most: () => mostParentsOf(rows, found) }] : []
  })
}

/** Yields all descendants of entities, each once. */
async function* placesUnder(
  rows: Rows,
  projectId: string,
  top: readonly EntityPlace[],
): AsyncIterable<EntityPlace> {
  const seen = new Set(top.map(({ id }) => id))
  for (let level: readonly string[] = [...seen]; level.length > 0; ) {
    const below: string[] = []
    for await (const place of placesBelow(rows, projectId, level)) {
      if (seen.has(place.id)) continue
      seen.add(place.id)
      below.push(place.id)
      yield place
    }
    level = below
  }
}

function byCreation(a: EntityPlace, b: EntityPlace): number {
  return a.transaction_id - b.transaction_id || a.position - b.position
}

function noneOf(ids: readonly string[]): EngineError {
  const more = ids.length > MAX_LISTED ? ` and ${ids.length - MAX_LISTED} more` : ''
  const listed = ids.slice(0, MAX_LISTED).map((id) => id.slice(0, 100))
  return new EngineError('not_found', `Unable to find ${listed.join(', ')}${more}`)
}
