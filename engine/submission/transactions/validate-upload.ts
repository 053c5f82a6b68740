import type { Dictionary } from '../dictionary/dictionary.ts'
import type { EntityType } from '../dictionary/entity-type.ts'
import { Ancestry } from './ancestry.ts'
import { DocumentValidator } from './document-validator.ts'
import type { EntityIssue } from './entity-issue.ts'
import { corrected, entityOf, withoutSystemProperties } from './entity-properties.ts'
import type { EntityResult, RelatedCase, TransactionalError } from './entity-result.ts'
import type { Edge, Graph, StoredEntity } from './graph.ts'
import { findParents, GraphView, linkIssues } from './links.ts'
import { unlistedSubject } from './listed-subject.ts'
import { literals } from './literal.ts'
import { otherTypeFound, type Resolved, resolveEntity } from './resolve-entity.ts'
import type { UploadOperation } from './store/transactions.ts'
import { columnOf, type EntityDocument, type Submitted } from './submitted.ts'

/** An upload, with all stored data on which it depends. */
interface Upload {
  readonly operation: UploadOperation
  readonly submitted: readonly Submitted[]
  readonly graph: Graph
  /** Time of the transaction in ISO 8601. */
  readonly now: string
  /** An id for each document. It is used if the entity is new and the document has no id. */
  readonly newIds: readonly string[]
  /** Whether the submitter is an administrator, who may also upload types that are not submittable. */
  readonly isAdministrator: boolean
  /** Whether the submitter may change released entities. */
  readonly mayCorrect: boolean
}

/** Entity that a valid document creates or updates. */
export interface Planned {
  readonly action: Resolved['action']
  readonly entity: StoredEntity
  readonly stored: StoredEntity | undefined
  /** All links of the entity to parents. */
  readonly edges: readonly Edge[]
}

interface ValidatedUpload {
  readonly results: readonly EntityResult[]
  readonly transactionalErrors: readonly TransactionalError[]
  /** Valid entities, in document order. */
  readonly planned: readonly Planned[]
}

/**
 * Validates all documents of a transaction (submission.md 7.4 to 7.8). First validates each document by itself,
 * then all links together, so that the order of documents does not matter. Changes nothing. Each step is short.
 */
export function* validateUpload(
  upload: Upload,
  dictionary: Pick<Dictionary, 'types'>,
): Generator<void, ValidatedUpload> {
  const validator = new DocumentValidator(dictionary)
  const drafts: Draft[] = []
  for (const [i, submitted] of upload.submitted.entries()) {
    drafts.push(new Draft(submitted, upload, upload.newIds[i] ?? '', validator))
    yield
  }
  const transactionalErrors = duplicatesOf(drafts, upload.graph.project.projectId)
  if (drafts.length === 0) transactionalErrors.push({ message: 'Nothing to submit' })
  const view = new GraphView(upload.graph)
  for (const draft of drafts) {
    draft.addTo(view)
    yield
  }
  for (const draft of drafts) {
    draft.findParents(view)
    yield
  }
  const ancestry = new Ancestry(view)
  for (const draft of drafts) {
    draft.checkLinks(view, ancestry)
    yield
  }
  const { entities, above, parents } = upload.graph
  const before = new Ancestry({
    entity: (id) => entities.get(id) ?? above.get(id),
    parents: ({ id }) => parents.get(id) ?? [],
  })
  const results: EntityResult[] = []
  for (const draft of drafts) {
    results.push(draft.result(upload.graph.project.projectId, ancestry, before))
    yield
  }
  return { results, transactionalErrors, planned: drafts.flatMap((one) => one.planned(view)) }
}

const NONE: ReadonlySet<string> = new Set()

/** Returns the properties and links that have errors, without their subscripts. */
function refusedBy(errors: readonly EntityIssue[]): ReadonlySet<string> {
  return new Set(errors.flatMap(({ keys }) => keys.map((key) => key.split('.', 1)[0] ?? key)))
}

/** Validation of one document. */
class Draft {
  readonly #document: EntityDocument
  readonly #submitted: Submitted
  readonly #now: string
  readonly #type: EntityType | undefined
  readonly #errors: EntityIssue[] = []
  readonly #warnings: EntityIssue[] = []
  /** Properties and links that the schema rejects. */
  #refused = NONE
  #resolved: Resolved | undefined
  #entity: StoredEntity | undefined
  /** All links to parents. Undefined if not all of them were found. */
  #edges: readonly Edge[] | undefined

  constructor(submitted: Submitted, upload: Upload, newId: string, validator: DocumentValidator) {
    this.#document = 'document' in submitted ? submitted.document : {}
    this.#submitted = submitted
    this.#now = upload.now
    if (!('document' in submitted)) {
      const message = `Entity document must be an object, not a ${submitted.unlike}`
      this.#errors.push({ keys: [], message, type: 'INVALID_VALUE' })
      return
    }
    const type = validator.typeOf(this.#document)
    if (!('properties' in type)) {
      this.#errors.push(...type)
      return
    }
    this.#type = type
    if (!type.submittable && !upload.isAdministrator) {
      this.#errors.push(notSubmittable(type))
      return
    }
    const resolved = resolveEntity(this.#document, type, upload.graph, upload)
    if ('message' in resolved) {
      this.#errors.push(resolved)
      return
    }
    this.#resolved = resolved
    this.#validate(type, resolved, validator, upload, newId)
  }

  #validate(
    type: EntityType,
    resolved: Resolved,
    validator: DocumentValidator,
    { operation, graph, now }: Upload,
    newId: string,
  ): void {
    const unlisted = unlistedSubject(type, resolved, graph)
    if (unlisted) this.#errors.push(unlisted)
    const { document, warnings } = withoutSystemProperties(this.#document, type, resolved.stored)
    const isPartial = operation === 'patch'
    // A document that identifies its entity by id need not repeat the submitter_id.
    const name = resolved.stored?.submitterId ?? undefined
    const named =
      name === undefined || Object.hasOwn(document, 'submitter_id')
        ? document
        : { submitter_id: name, ...document }
    const { errors, warnings: more } = validator.validate(named, type, { isPartial })
    this.#errors.push(...errors)
    this.#warnings.push(...warnings, ...more)
    const { projectId } = graph.project
    const id =
      resolved.action === 'update' ? (resolved.stored?.id ?? newId) : (resolved.givenId ?? newId)
    this.#entity = entityOf(document, type, resolved, { id, projectId, now })
  }

  /** Id and submitter_id of the entity. Undefined if they could not be determined. */
  get identity(): { readonly id: string; readonly submitterId: string | null } | undefined {
    const entity = this.#entity
    return (
      entity && { id: this.#resolved?.stored?.id ?? entity.id, submitterId: entity.submitterId }
    )
  }

  /** Reports an error if the first document of the same entity has another type. Returns whether it has. */
  reportOtherType(first: Draft): boolean {
    if (!first.#type || !this.#type || first.#type === this.#type) return false
    this.#errors.splice(0, Infinity, otherTypeFound(first.#type.name, this.#type.name))
    this.#resolved = undefined
    this.#entity = undefined
    return true
  }

  get #isValid(): boolean {
    return this.#errors.length === 0
  }

  /** Adds the entity to the graph that links are resolved in. */
  addTo(view: GraphView): void {
    if (this.#isValid && this.#entity) view.put(this.#entity)
  }

  /** Finds the parents. Also called for documents that the schema rejects, so that all problems show at once. */
  findParents(view: GraphView): void {
    if (!this.#entity || !this.#type) return
    const isValid = this.#isValid
    if (!isValid) this.#refused = refusedBy(this.#errors)
    const found = findParents(this.#document, this.#type, this.#entity, view, this.#refused)
    this.#errors.push(...found.errors)
    if (found.errors.length > 0) return
    this.#edges = found.edges
    // An entity that will not be stored must not use up the single place that a link may allow.
    if (isValid) view.link(this.#entity, found.edges, this.#type)
  }

  /** Checks the links against their definitions, and that no link leads back to the entity. */
  checkLinks(view: GraphView, ancestry: Ancestry): void {
    if (!this.#edges || !this.#entity || !this.#type) return
    const isValid = this.#isValid
    const issues = linkIssues(this.#type, this.#entity, this.#edges, view)
    this.#errors.push(...issues.filter(({ keys }) => !keys.some((key) => this.#refused.has(key))))
    if (!isValid || !ancestry.isCircular(this.#entity)) return
    const keys = [...this.#type.links.keys()].filter((key) => Object.hasOwn(this.#document, key))
    const message = 'links lead from the entity back to itself'
    this.#errors.push({ keys, message, type: 'INVALID_LINK' })
  }

  result(projectId: string, ancestry: Ancestry, before: Ancestry): EntityResult {
    const { type } = this.#document
    return {
      action: this.#resolved?.action ?? null,
      errors: this.#withPositions(this.#errors),
      id: this.#entity?.id ?? null,
      related_cases: this.#relatedCases(ancestry, before),
      type: typeof type === 'string' ? type : null,
      unique_keys: this.#type ? [this.#uniqueKey(projectId)] : [],
      valid: this.#isValid,
      warnings: this.#withPositions(this.#warnings),
    }
  }

  /** Adds line and column of the submitted table to issues. */
  #withPositions(issues: readonly EntityIssue[]): readonly EntityIssue[] {
    const submitted = this.#submitted
    const line = 'document' in submitted ? submitted.line : undefined
    if (line === undefined) return issues
    return issues.map((issue) => {
      const column = columnOf(submitted, issue.keys)
      return { ...issue, line, ...(column !== undefined && { column }) }
    })
  }

  /** Returns the cases above the entity (submission.md 9). A new entity that will not be stored has none. */
  #relatedCases(ancestry: Ancestry, before: Ancestry): readonly RelatedCase[] {
    if (this.#isValid) return this.#entity ? ancestry.casesOf(this.#entity) : []
    const stored = this.#resolved?.stored
    return stored ? before.casesOf(stored) : []
  }

  #uniqueKey(projectId: string): Readonly<Record<string, string>> {
    const given = this.#document.submitter_id
    const name = this.#entity?.submitterId ?? (typeof given === 'string' ? given : undefined)
    return { project_id: projectId, ...(name !== undefined && { submitter_id: name }) }
  }

  /** Returns the entity to store, or nothing if the document is invalid. */
  planned(view: GraphView): readonly Planned[] {
    if (!this.#isValid || !this.#entity || !this.#resolved) return []
    const { action, stored, isCorrection } = this.#resolved
    const edges = view.parents(this.#entity)
    // A new link also changes the entity's record in a release.
    const isLinked = this.#entity === stored && edges.length > view.parentsBefore(stored).length
    const entity = isCorrection && isLinked ? corrected(this.#entity, this.#now) : this.#entity
    return [{ action, entity, stored, edges }]
  }
}

/** Returns the issue for a type whose entities submitters cannot upload, such as derived files. */
function notSubmittable({ name }: EntityType): EntityIssue {
  const message = `Type '${name}' is not submittable: its entities are uploaded by administrators alone.`
  return { keys: ['type'], message, type: 'INVALID_PERMISSIONS' }
}

/**
 * Finds entities that two documents describe (submission.md 7.8). If the types differ, the second document gets
 * the error that it would get in a later transaction.
 */
function duplicatesOf(drafts: readonly Draft[], projectId: string): TransactionalError[] {
  const byId = new Map<string, Draft>()
  const byName = new Map<string, Draft>()
  const messages = new Set<string>()
  for (const draft of drafts) {
    const { identity } = draft
    if (!identity) continue
    const { id, submitterId } = identity
    const first = byId.get(id) ?? (submitterId === null ? undefined : byName.get(submitterId))
    if (first && !draft.reportOtherType(first)) {
      const names = submitterId === null ? [id] : [projectId, submitterId]
      messages.add(`Entity is not unique, ((${literals(names)}),)`)
    }
    byId.set(id, first ?? draft)
    if (submitterId !== null) byName.set(submitterId, first ?? draft)
  }
  return [...messages].map((message) => ({ message, type: 'NOT_UNIQUE' }))
}
