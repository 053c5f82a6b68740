import type { EntityType, Link, LinkGroup } from '../dictionary/entity-type.ts'
import type { EntityIssue, IssueType } from './entity-issue.ts'
import {
  type BareEntity,
  type Edge,
  foldName,
  type Graph,
  REDACTED,
  type StoredEntity,
  type StoredReference,
} from './graph.ts'
import { literal, literals } from './literal.ts'
import type { EntityDocument } from './submitted.ts'

/** The graph after the transaction: stored entities together with the valid ones of the transaction. */
export class GraphView {
  readonly #graph: Graph
  readonly #entities = new Map<string, StoredEntity>()
  readonly #idsByName = new Map<string, string>()
  /** Ids keyed by lower-case name. Built only when a name is not found exactly, which is rare. */
  #idsByFoldedName: Map<string, Set<string>> | undefined
  /** Links that the transaction adds, keyed by child. */
  readonly #added = new Map<string, readonly Edge[]>()
  /** Children that parents gain, keyed by parent, child type and link. */
  readonly #gained = new Map<string, Set<string>>()
  readonly #superseded = new Set<string>()
  /** References, keyed by id and by type and name. */
  readonly #references = new Map<string, StoredReference>()

  constructor(graph: Graph) {
    this.#graph = graph
    for (const one of graph.references) {
      this.#references.set(one.id, one).set(`${one.type} ${one.name}`, one)
    }
  }

  get project() {
    return this.#graph.project
  }

  /** Adds an entity of the transaction. Add all entities before any link is checked. */
  put(entity: StoredEntity): void {
    this.#entities.set(entity.id, entity)
    if (entity.submitterId !== null) {
      this.#idsByName.set(entity.submitterId, entity.id)
    }
    if (entity.supersedes !== null) this.#superseded.add(entity.supersedes)
  }

  entity(id: string): BareEntity | undefined {
    const { entities, above } = this.#graph
    return this.#entities.get(id) ?? entities.get(id) ?? above.get(id)
  }

  /** Returns the entity with a name. If there is none, ignores case, provided that the match is unique. */
  named(submitterId: string): BareEntity | undefined {
    const id = this.#idsByName.get(submitterId) ?? this.#graph.idsByName.get(submitterId)
    if (id !== undefined) return this.entity(id)
    this.#idsByFoldedName ??= byFoldedName([...this.#graph.idsByName, ...this.#idsByName])
    const [meant, ...others] = this.#idsByFoldedName.get(foldName(submitterId)) ?? []
    return meant === undefined || others.length > 0 ? undefined : this.entity(meant)
  }

  /** Returns a reference if all given keys match. */
  reference(type: string, { id, code, name }: ParentKey): StoredReference | undefined {
    const found = this.#references.get(id ?? `${type} ${code ?? name}`)
    const isIt =
      found?.type === type &&
      (code === undefined || found.properties.code === code) &&
      (name === undefined || found.properties.name === name)
    return isIt ? found : undefined
  }

  /** Returns the links that an entity had before. A new version inherits the links of the version before it. */
  parentsBefore({ id, supersedes }: StoredEntity): readonly Edge[] {
    const edges = this.#graph.parents.get(id) ?? []
    const former = supersedes === null ? [] : (this.#graph.parents.get(supersedes) ?? [])
    if (former.length === 0 || this.#graph.entities.has(id)) return edges
    return former.map((edge) => ({ ...edge, child: id }))
  }

  link(entity: StoredEntity, edges: readonly Edge[], { links }: EntityType): void {
    this.#added.set(entity.id, edges)
    for (const { link, parent } of edges) {
      // Only these links are needed later. There may be many others.
      if (!links.get(link)?.multiplicity.startsWith('one_to_')) continue
      const key = slot(parent, entity.type, link)
      const gained = this.#gained.get(key)
      if (gained) gained.add(entity.id)
      else this.#gained.set(key, new Set([entity.id]))
    }
  }

  /** Returns all links of an entity to parents. */
  parents(entity: BareEntity): readonly Edge[] {
    return this.#added.get(entity.id) ?? this.#graph.parents.get(entity.id) ?? []
  }

  /** Returns whether a parent has another child that uses the same link. */
  hasOtherChild(parent: string, link: string, { id, type }: StoredEntity): boolean {
    const gained = this.#gained.get(slot(parent, type, link))
    if (gained && (gained.size > 1 || !gained.has(id))) return true
    return (this.#graph.children.get(parent) ?? []).some(
      (edge) =>
        edge.link === link &&
        edge.child !== id &&
        !this.#superseded.has(edge.child) &&
        edge.type === type,
    )
  }
}

function byFoldedName(names: Iterable<readonly [string, string]>): Map<string, Set<string>> {
  const folded = new Map<string, Set<string>>()
  for (const [name, id] of names) {
    const key = foldName(name)
    const ids = folded.get(key)
    if (ids) ids.add(id)
    else folded.set(key, new Set([id]))
  }
  return folded
}

const slot = (parent: string, type: string, link: string) => `${parent} ${type} ${link}`

interface Linked {
  /** All links of the entity, including those from before. */
  readonly edges: readonly Edge[]
  readonly errors: readonly EntityIssue[]
}

/**
 * Resolves the links of a document (submission.md 7.8).
 * @param refused links to skip
 */
export function findParents(
  document: EntityDocument,
  type: EntityType,
  entity: StoredEntity,
  view: GraphView,
  refused: ReadonlySet<string>,
): Linked {
  const edges = new Map<string, Edge>()
  const add = (edge: Edge) => edges.set(`${edge.link} ${edge.parent}`, edge)
  for (const edge of view.parentsBefore(entity)) add(edge)
  const errors: EntityIssue[] = []
  for (const link of type.links.values()) {
    if (refused.has(link.name)) continue
    for (const key of parentKeys(document[link.name])) {
      const found = findParent(link, key, view)
      if (typeof found !== 'string') errors.push(found)
      else if (found === entity.id) {
        errors.push(issue([link.name], `'${link.name}' links the entity to itself`))
      } else add({ child: entity.id, link: link.name, parent: found })
    }
  }
  return { edges: [...edges.values()], errors }
}

/** Keys of a parent. All given keys must match. Other members are ignored. */
interface ParentKey {
  readonly id: string | undefined
  readonly submitterId: string | undefined
  readonly code: string | undefined
  readonly name: string | undefined
}

/** Returns the parents that a link of a document names. Null and an empty list name no parent. */
export function parentKeys(value: unknown): readonly ParentKey[] {
  if (value === undefined || value === null) return NONE
  return Array.isArray(value) ? value.map(parentKey) : [parentKey(value)]
}

function parentKey(value: unknown): ParentKey {
  const { id, submitter_id, code, name } = (value ?? {}) as Readonly<Record<string, unknown>>
  return {
    id: typeof id === 'string' ? id.toLowerCase() : undefined,
    submitterId: textOf(submitter_id),
    code: textOf(code),
    name: textOf(name),
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function findParent(link: Link, key: ParentKey, view: GraphView): string | EntityIssue {
  const { project } = view
  if (link.target === 'project') {
    if (key.code !== undefined && key.code !== project.code) {
      const message = `Cannot link entity to project ${key.code} under ${project.code} endpoint`
      return issue([], message, 'INVALID_PERMISSIONS')
    }
    const isIt = key.id === project.id || (key.id === undefined && key.code !== undefined)
    return isIt ? project.id : notFound(link, key, project.projectId)
  }
  const reference = view.reference(link.target, key)
  if (reference) return reference.id
  const { id, submitterId } = key
  const byName = submitterId === undefined ? undefined : view.named(submitterId)
  const parent = id === undefined ? byName : view.entity(id)
  const isIt =
    parent?.type === link.target &&
    parent.state !== REDACTED &&
    (submitterId === undefined || parent === byName || parent.submitterId === submitterId)
  if (!isIt) return notFound(link, key, project.projectId)
  if (parent.projectId === project.projectId) return parent.id
  const { type, projectId } = parent
  return issue([], `Relationship to ${type} ${parent.id} in project ${projectId} not allowed`)
}

function notFound(link: Link, key: ParentKey, projectId: string): EntityIssue {
  const { id, submitterId, code, name } = key
  const keys = [
    ...(submitterId === undefined ? [] : [{ project_id: projectId, submitter_id: submitterId }]),
    ...(code === undefined ? [] : [{ code }]),
    ...(name === undefined ? [] : [{ name }]),
  ]
  const byId = id === undefined ? '' : `, id='${id}'`
  const message = `No link destination found for ${link.name}${byId}, unique_keys='[${literals(keys)}]'`
  return issue([link.name], message)
}

const NONE: readonly never[] = Object.freeze([])

/**
 * Checks the links of an entity against the rules of its type. All links must be known by then.
 * @param edges all links of the entity to parents
 */
export function linkIssues(
  type: EntityType,
  entity: StoredEntity,
  edges: readonly Edge[],
  view: GraphView,
): readonly EntityIssue[] {
  const parents = new Map<string, string[]>()
  for (const { link, parent } of edges) {
    const known = parents.get(link)
    if (known) known.push(parent)
    else parents.set(link, [parent])
  }
  const errors: EntityIssue[] = []
  for (const link of type.links.values()) {
    errors.push(...issuesOfLink(link, parents.get(link.name) ?? NONE, entity, view))
  }
  for (const group of type.groups) errors.push(...issuesOfGroup(group, parents))
  return errors
}

function issuesOfLink(
  { name, backref, target, multiplicity, required }: Link,
  parents: readonly string[],
  entity: StoredEntity,
  view: GraphView,
): readonly EntityIssue[] {
  if (parents.length === 0) {
    if (!required) return NONE
    return [issue([name], `Entity is missing required link to ${name}`)]
  }
  const errors: EntityIssue[] = []
  if (parents.length > 1 && multiplicity.endsWith('_to_one')) {
    errors.push(issue([name], `'${name}' link has to be ${multiplicity}`))
  }
  if (multiplicity.startsWith('one_to_')) {
    for (const parent of parents) {
      // A reference may be shared by any number of entities.
      if (!view.entity(parent) || !view.hasOtherChild(parent, name, entity)) continue
      const message = `'${name}' link has to be ${multiplicity}, target node ${target} already has ${backref}`
      errors.push(issue([name], message))
    }
  }
  return errors
}

function issuesOfGroup(
  { exclusive, required, links }: LinkGroup,
  parents: ReadonlyMap<string, unknown>,
): EntityIssue[] {
  const names = links.map(({ name }) => name)
  const used = names.filter((name) => parents.has(name)).length
  if (required && used === 0) {
    const all = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((text) => text !== '')
    return [issue(names, `Entity is missing a required link to ${all.join(' or ')}`)]
  }
  if (!exclusive || used < 2) return []
  const message = `Links to ${literal(names)} are exclusive.  More than one was provided.`
  return [issue(names, message)]
}

function issue(
  keys: readonly string[],
  message: string,
  type: IssueType = 'INVALID_LINK',
): EntityIssue {
  return { keys, message, type }
}
