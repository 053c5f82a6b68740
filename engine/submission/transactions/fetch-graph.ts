import { mayKnow } from '../../shared/access/access.ts'
import type { Principal } from '../../shared/access/principal.ts'
import type { Rows } from '../../shared/database/database.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import {
  type BareEntity,
  CASE,
  type ChildEdge,
  type Edge,
  foldName,
  type Graph,
  type RegisteredProject,
  type StoredEntity,
} from './graph.ts'
import { parentKeys } from './links.ts'
import { referenceKey } from './reference-types.ts'
import { MAX_NAME_BYTES, NEW_SUBMITTER_ID } from './resolve-entity.ts'
import {
  bareByFoldedName,
  bareById,
  bareByName,
  edgesToAllChildren,
  edgesToChildren,
  edgesToParentsInParts,
  entitiesById,
  entitiesByName,
} from './store/entities.ts'
import { referencesById, referencesByName } from './store/references.ts'
import { listedSubjects } from './store/subjects.ts'
import type { EntityDocument, Submitted } from './submitted.ts'
import type { Deletion } from './validate-deletion.ts'

/**
 * Fetches the stored entities that a transaction needs. The number of statements depends on the levels of
 * links, not on the number of entities. Reserved ids that are in use by now are found among the entities. For
 * entities of projects without any right of the submitter only the id is returned.
 */
export async function fetchGraph(
  rows: Rows,
  { project, principal }: { readonly project: RegisteredProject; readonly principal: Principal },
  wanted: Names,
): Promise<Graph> {
  const entities = new Map<string, StoredEntity>()
  const above = new Map<string, BareEntity>()
  const idsByName = new Map<string, string>()
  const add = (found: readonly StoredEntity[]) => {
    for (const one of found) entities.set(one.id, one)
  }
  const addBare = (found: readonly BareEntity[]) => {
    for (const one of found) if (!entities.has(one.id)) above.set(one.id, one)
  }
  const { projectId } = project
  const named = await entitiesById(rows, wanted.ids)
  const taken = named.filter((one) => !mayKnow(principal, one.projectId)).map(({ id }) => id)
  add(named.filter((one) => mayKnow(principal, one.projectId)))
  add(await entitiesByName(rows, projectId, wanted.own))
  const others = [...wanted.parents].filter((name) => !wanted.own.has(name))
  addBare(await bareByName(rows, projectId, others))
  const known = () => [...entities.values(), ...above.values()]
  const exact = new Set(known().map(({ submitterId }) => submitterId))
  const missing = others.filter((name) => !exact.has(name))
  addBare(await bareByFoldedName(rows, projectId, missing.map(foldName)))
  // All possible parents are known at this point, so further entities are ancestors.
  const own = known().filter((one) => one.projectId === projectId)
  for (const { id, submitterId, isCurrent } of own) {
    if (isCurrent && submitterId !== null) idsByName.set(submitterId, id)
  }
  const parents = await fetchAncestors(rows, own, addBare)
  const narrow = [...entities.keys(), ...above.keys()]
  const children = grouped(
    wanted.hasNarrowLinks ? await edgesToChildren(rows, narrow) : [],
    ({ parent }) => parent,
  )
  const references = [
    ...(await referencesById(rows, wanted.referenceIds)),
    ...(await referencesByName(rows, wanted.referenceNames)),
  ]
  const subjects =
    wanted.cases.size > 0 ? await listedSubjects(rows, project.projectId, wanted.cases) : undefined
  return {
    project,
    entities,
    above,
    taken: new Set(taken),
    idsByName,
    parents,
    children,
    references,
    ...(subjects && { subjects }),
  }
}

/** Names that documents refer to. */
export interface Names {
  readonly ids: ReadonlySet<string>
  /** Names of the documents themselves, and of their parents. */
  readonly own: ReadonlySet<string>
  readonly parents: ReadonlySet<string>
  /** Whether a link in these documents allows each parent only one child. */
  readonly hasNarrowLinks: boolean
  /** Ids of references, and their codes or names. */
  readonly referenceIds: ReadonlySet<string>
  readonly referenceNames: ReadonlySet<string>
  /** Names that documents give to cases. */
  readonly cases: ReadonlySet<string>
}

/** Collects all ids and submitter_ids that documents use for themselves or for parents. */
export function namesIn(
  submitted: readonly Submitted[],
  types: ReadonlyMap<string, EntityType>,
): Names {
  const ids = new Set<string>()
  const own = new Set<string>()
  const parents = new Set<string>()
  const referenceIds = new Set<string>()
  const referenceNames = new Set<string>()
  const cases = new Set<string>()
  let hasNarrowLinks = false
  const add = (names: Set<string>, name: unknown) => {
    // Names that contain U+0000 or are too long are never stored, so they are not looked up.
    if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_BYTES) return
    if (!name.includes('\0')) names.add(name)
  }
  for (const one of submitted) {
    const document: EntityDocument = 'document' in one ? one.document : {}
    add(ids, typeof document.id === 'string' ? document.id.toLowerCase() : undefined)
    add(own, document.submitter_id)
    add(own, document[NEW_SUBMITTER_ID])
    if (document.type === CASE) {
      add(cases, document.submitter_id)
      add(cases, document[NEW_SUBMITTER_ID])
    }
    const type = types.get(String(document.type))
    for (const { name, multiplicity, target } of type?.links.values() ?? []) {
      const targetType = types.get(target)
      const isReference = targetType !== undefined && referenceKey(targetType) !== undefined
      if (multiplicity.startsWith('one_to_') && !isReference) hasNarrowLinks = true
      for (const key of parentKeys(document[name])) {
        add(isReference ? referenceIds : ids, key.id)
        if (!isReference) add(parents, key.submitterId)
        else for (const text of [key.code, key.name]) add(referenceNames, text)
      }
    }
  }
  return { ids, own, parents, hasNarrowLinks, referenceIds, referenceNames, cases }
}

/** Fetches the ancestors of entities. */
async function fetchAncestors(
  rows: Rows,
  entities: readonly BareEntity[],
  add: (found: readonly BareEntity[]) => void,
): Promise<Map<string, Edge[]>> {
  const parents = new Map<string, Edge[]>()
  let level = entities.map(({ id }) => id)
  while (level.length > 0) {
    const above = new Set<string>()
    for (const id of level) parents.set(id, [])
    for await (const edges of edgesToParentsInParts(rows, level)) {
      for (const edge of edges) {
        parents.get(edge.child)?.push(edge)
        if (!parents.has(edge.parent)) above.add(edge.parent)
      }
    }
    const found = await bareById(rows, above)
    add(found)
    level = found.map(({ id }) => id)
  }
  return parents
}

/** Fetches entities to delete, and all their descendants. */
export async function fetchDeletion(
  rows: Rows,
  { projectId }: RegisteredProject,
  ids: readonly string[],
): Promise<Deletion> {
  const found = await entitiesById(rows, ids)
  const own = found.filter((one) => one.projectId === projectId)
  const children = new Map<string, readonly ChildEdge[]>()
  let level = own.map(({ id }) => id)
  while (level.length > 0) {
    const edges = await edgesToAllChildren(rows, level)
    const byParent = grouped(edges, ({ parent }) => parent)
    for (const id of level) children.set(id, byParent.get(id) ?? [])
    level = [...new Set(edges.map(({ child }) => child))].filter((id) => !children.has(id))
  }
  return { ids, projectId, entities: new Map(own.map((one) => [one.id, one])), children }
}

function grouped<Value>(values: readonly Value[], keyOf: (value: Value) => string) {
  const groups = new Map<string, Value[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}
