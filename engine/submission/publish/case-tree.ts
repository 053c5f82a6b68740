import type { Rows } from '../../shared/database/database.ts'
import type { Edge, StoredEntity, StoredReference } from '../transactions/graph.ts'
import {
  edgesToAllChildren,
  edgesToParents,
  entitiesById,
  SUBMITTED_STATES,
} from '../transactions/store/entities.ts'
import { referencesById } from '../transactions/store/references.ts'

/** Cases of a project, with all their submitted descendants. */
export interface CaseTree {
  readonly cases: readonly StoredEntity[]
  /** Cases and their descendants, keyed by id, including former versions of files. */
  readonly entities: ReadonlyMap<string, StoredEntity>
  /** Children by id of the parent, in creation order. */
  readonly children: ReadonlyMap<string, readonly StoredEntity[]>
  /** Links to parents by id of the child, including parents outside of the tree. */
  readonly parents: ReadonlyMap<string, readonly Edge[]>
  /** References, registered by administrators, to which entities link. */
  readonly references: ReadonlyMap<string, StoredReference>
  /** Submitted archives that files belong to. */
  readonly archives: ReadonlyMap<string, StoredEntity>
}

/** Fetches cases and their descendants, level by level. */
export async function fetchTree(rows: Rows, caseIds: readonly string[]): Promise<CaseTree> {
  const found = new Map((await entitiesById(rows, caseIds)).map((one) => [one.id, one]))
  const cases = caseIds.flatMap((id) => found.get(id) ?? [])
  const entities = new Map(cases.map((one) => [one.id, one]))
  const children = new Map<string, Set<StoredEntity>>()
  for (let level = caseIds; level.length > 0; ) {
    const edges = await edgesToAllChildren(rows, level)
    const unknown = edges.flatMap(({ child }) => (entities.has(child) ? [] : [child]))
    const below = (await entitiesById(rows, unknown)).filter(isSubmitted)
    for (const one of below) entities.set(one.id, one)
    for (const { child, parent } of edges) {
      const entity = entities.get(child)
      if (!entity) continue
      const known = children.get(parent)
      if (known) known.add(entity)
      else children.set(parent, new Set([entity]))
    }
    level = below.map(({ id }) => id)
  }
  const parents = new Map<string, Edge[]>()
  const outside = { references: new Set<string>(), archives: new Set<string>() }
  for (const edge of await edgesToParents(rows, entities.keys())) {
    const known = parents.get(edge.child)
    if (known) known.push(edge)
    else parents.set(edge.child, [edge])
    if (REFERENCE_LINKS.has(edge.link)) outside.references.add(edge.parent)
    if (edge.link === ARCHIVES) outside.archives.add(edge.parent)
  }
  const references = await referencesById(rows, outside.references)
  const archives = (await entitiesById(rows, outside.archives)).filter(isSubmitted)
  return {
    cases,
    entities,
    children: new Map([...children].map(([id, all]) => [id, [...all]])),
    parents,
    references: new Map(references.map((one) => [one.id, one])),
    archives: new Map(archives.map((one) => [one.id, one])),
  }
}

const ARCHIVES = 'archives'
const REFERENCE_LINKS: ReadonlySet<string> = new Set(['centers', 'tissue_source_sites'])

const isSubmitted = ({ state }: StoredEntity) => SUBMITTED_STATES.includes(state)

/** Returns the reference of a type that an entity links to. */
export function referenceOf(
  { id }: StoredEntity,
  type: string,
  { parents, references }: CaseTree,
): StoredReference | undefined {
  const linked = (parents.get(id) ?? []).map(({ parent }) => references.get(parent))
  return linked.find((one) => one?.type === type)
}

/** Returns the archive that a file belongs to. */
export function archiveOf(
  { id }: StoredEntity,
  { parents, archives }: CaseTree,
): StoredEntity | undefined {
  const linked = (parents.get(id) ?? []).map(({ parent }) => archives.get(parent))
  return linked.find((one) => one !== undefined)
}

/** Returns the ancestors of an entity that are in the tree, up to its cases. */
export function ancestorsOf(
  { id }: StoredEntity,
  tree: CaseTree,
): ReadonlyMap<string, StoredEntity> {
  const found = new Map<string, StoredEntity>()
  const visit = (child: string) => {
    for (const { parent } of tree.parents.get(child) ?? []) {
      const entity = tree.entities.get(parent)
      if (!entity || found.has(parent)) continue
      found.set(parent, entity)
      visit(parent)
    }
  }
  visit(id)
  return found
}

/** Returns the case of an entity. For a pooled entity with several cases, returns the first. */
export function caseOf(entity: StoredEntity, tree: CaseTree): StoredEntity | undefined {
  if (entity.type === 'case') return entity
  return [...ancestorsOf(entity, tree).values()].find(({ type }) => type === 'case')
}
