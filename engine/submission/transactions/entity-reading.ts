import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Rows } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import { type Edge, isFileType, type RegisteredProject, type StoredEntity } from './graph.ts'
import { bareById, bytesOfEntities, edgesToParents, entitiesById } from './store/entities.ts'

/**
 * Returns stored entities with their links to parents (submission.md 11), in the order of the ids.
 * @throws EngineError `not_found` naming the ids that are not in the project; `too_large` if they have too many bytes
 */
export async function readEntities(
  rows: Rows,
  project: RegisteredProject,
  ids: readonly string[],
  types: ReadonlyMap<string, EntityType>,
  turns: LoopTurns,
): Promise<readonly object[]> {
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))]
  if (wanted.length > 1) requireFew(await bytesOfEntities(rows, wanted))
  const found = new Map<string, StoredEntity>()
  for (const one of await entitiesById(rows, wanted)) {
    if (one.projectId === project.projectId) found.set(one.id, one)
  }
  const missing = wanted.filter((id) => !found.has(id))
  if (missing.length > 0) throw new EngineError('not_found', `Not found: ${missing.join(', ')}`)
  const links = new Map<string, Edge[]>(wanted.map((id) => [id, []]))
  const edges = await edgesToParents(rows, wanted)
  for (const edge of edges) links.get(edge.child)?.push(edge)
  const parents = await bareById(rows, new Set(edges.map(({ parent }) => parent)))
  const names = new Map(parents.map(({ id, submitterId }) => [id, submitterId]))
  const entities: object[] = []
  for (const id of wanted) {
    await turns.pause()
    const entity = found.get(id)
    if (!entity) continue
    const properties = {
      ...propertiesOf(entity, types.get(entity.type)),
      ...linksOf(links.get(id) ?? [], names),
    }
    entities.push({ program: project.program, project: project.code, properties })
  }
  return entities
}

/** Maximum bytes of the properties of several entities in one response. A thousand cases have a million. */
const MAX_BYTES = 4 << 20

function requireFew(bytes: number): void {
  if (bytes <= MAX_BYTES) return
  const message = `the entities have ${bytes} bytes, more than ${MAX_BYTES}; ask for fewer at a time, or export them`
  throw new EngineError('too_large', message, { at: 'ids' })
}

/** Returns the properties of an entity, with null for those that have no value. */
function propertiesOf(entity: StoredEntity, type: EntityType | undefined) {
  const unset = [...(type?.properties.keys() ?? [])]
    .filter((name) => !type?.links.has(name))
    .map((name): [string, null] => [name, null])
  return {
    ...Object.fromEntries(unset),
    ...entity.properties,
    id: entity.id,
    type: entity.type,
    project_id: entity.projectId,
    submitter_id: entity.submitterId,
    state: entity.state,
    ...(type && isFileType(type)
      ? { file_state: entity.fileState, error_type: entity.errorType }
      : {}),
    created_datetime: entity.createdAt,
    updated_datetime: entity.updatedAt,
  }
}

function linksOf(edges: readonly Edge[], names: ReadonlyMap<string, string | null>) {
  const links: Record<string, { id: string; submitter_id: string | null }[]> = {}
  for (const { link, parent } of edges) {
    links[link] ??= []
    links[link].push({ id: parent, submitter_id: names.get(parent) ?? null })
  }
  return links
}
