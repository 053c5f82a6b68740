import type { EntityType } from '../dictionary/entity-type.ts'
import type { EntityIssue, IssueType } from './entity-issue.ts'
import type { EntityAction } from './entity-result.ts'
import { type Graph, isFileType, REDACTED, type StoredEntity, wasReleased } from './graph.ts'
import type { UploadOperation } from './store/transactions.ts'
import type { EntityDocument } from './submitted.ts'

/** Key that renames a new file version or an updated entity. Not a property of any type (submission.md 7.5). */
export const NEW_SUBMITTER_ID = 'new_submitter_id'

/** Longest name in bytes. A PostgreSQL index entry is limited to less than 3,000. */
export const MAX_NAME_BYTES = 2000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** File states in which the description may still change. Later the data must be deleted first. */
const OPEN_FILE_STATES: ReadonlySet<string> = new Set([
  'registered',
  'uploading',
  'uploaded',
  'validating',
])

/** The entity to which a document refers, and the action on it. */
export interface Resolved {
  readonly action: Exclude<EntityAction, 'delete' | 'redact' | 'submit'>
  /** The stored entity, unless the document creates one. For a new version, the version before it. */
  readonly stored?: StoredEntity
  /** Id given for a new entity. */
  readonly givenId?: string
  readonly submitterId: string | null
  /** Whether the entity is released, so that the update applies to the next release. */
  readonly isCorrection?: boolean
}

/** Requested operation and the rights of its submitter. */
interface Resolving {
  readonly operation: UploadOperation
  /** Whether the submitter may change released entities. */
  readonly mayCorrect: boolean
}

/** Finds the stored entity of a document (submission.md 7.4, 7.5), or the reason why it cannot be stored. */
export function resolveEntity(
  document: EntityDocument,
  type: EntityType,
  graph: Graph,
  { operation, mayCorrect }: Resolving,
): Resolved | EntityIssue {
  const { projectId } = graph.project
  const id = given(document.id)
  const submitterId = given(document.submitter_id)
  const owner = given(document.project_id)
  if (owner !== undefined && owner !== projectId) {
    const message = `Entity is owned by project ${owner}, not ${projectId}`
    return issue('INVALID_PERMISSIONS', ['project_id'], message)
  }
  if (id === undefined && submitterId === undefined) {
    const message = 'Either an id or required unique fields (project_id, submitter_id) required'
    return issue('MISSING_PROPERTY', ['project_id', 'submitter_id'], message)
  }
  const unstorable = ['submitter_id', NEW_SUBMITTER_ID].filter(
    (key) => !isName(given(document[key])),
  )
  if (unstorable.length > 0) {
    const message = `a name has at most ${MAX_NAME_BYTES} bytes of UTF-8, and not the character U+0000`
    return issue('INVALID_VALUE', unstorable, message)
  }
  // Ids are stored in lower case, so that comparison ignores case.
  const byId = id === undefined ? undefined : graph.entities.get(id.toLowerCase())
  const byName = named(graph, submitterId)
  const stored = byId ?? byName
  const conflict = conflictOf({ id, byId, byName, type, operation, graph })
  if (conflict) return conflict
  const renamed = given(document[NEW_SUBMITTER_ID])
  if (!stored) return resolveNew({ id, submitterId, renamed, type, operation, graph })
  return resolveStored({ document, stored, submitterId, renamed, type, graph, mayCorrect })
}

function isName(text = ''): boolean {
  return text.isWellFormed() && !text.includes('\0') && Buffer.byteLength(text) <= MAX_NAME_BYTES
}

function given(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function named(graph: Graph, submitterId: string | undefined): StoredEntity | undefined {
  const id = submitterId === undefined ? undefined : graph.idsByName.get(submitterId)
  return id === undefined ? undefined : graph.entities.get(id)
}

function conflictOf(asked: {
  readonly id: string | undefined
  readonly byId: StoredEntity | undefined
  readonly byName: StoredEntity | undefined
  readonly type: EntityType
  readonly operation: UploadOperation
  readonly graph: Graph
}): EntityIssue | undefined {
  const { id, byId, byName, type, operation, graph } = asked
  const stored = byId ?? byName
  if (!stored) return undefined
  const { projectId } = graph.project
  if (stored.projectId !== projectId) {
    if (operation === 'create') return EXISTS
    const message = `Entity is owned by project ${stored.projectId}, not ${projectId}`
    return issue('INVALID_PERMISSIONS', ['project_id'], message)
  }
  if (stored.type !== type.name) {
    return otherTypeFound(stored.type, type.name)
  }
  if (operation === 'create') return EXISTS
  if (id !== undefined && byName !== undefined && byName !== byId) {
    const message = `Existing ${byName.type} entity found with id different from ${id}`
    return issue('NOT_UNIQUE', ['id'], message)
  }
  return undefined
}

const EXISTS = issue(
  'NOT_UNIQUE',
  ['id'],
  'Cannot create an entity with an id that already exists.',
)

function resolveNew(asked: {
  readonly id: string | undefined
  readonly submitterId: string | undefined
  readonly renamed: string | undefined
  readonly type: EntityType
  readonly operation: UploadOperation
  readonly graph: Graph
}): Resolved | EntityIssue {
  const { id, submitterId, renamed, type, operation, graph } = asked
  if (renamed !== undefined) {
    const message =
      'Cannot create node with new submitter id specified. If update action (PUT) requested, ' +
      'make sure specified id/submitter id exists'
    return issue('NOT_FOUND', ['submitter_id'], message)
  }
  if (operation === 'patch') return issue('NOT_FOUND', ['id'], 'Entity not found.')
  if (id !== undefined && !UUID.test(id)) {
    const message = 'Cannot create entity with custom id that is not a UUID.'
    return issue('INVALID_VALUE', ['id'], message)
  }
  // Bytes are stored under the file id, so a submitter could choose the id of another file.
  if (id !== undefined && isFileType(type)) {
    const message = `Property 'id' cannot be assigned for type '${type.name}': the service gives it.`
    return issue('INVALID_PROPERTY', ['id'], message)
  }
  if (id !== undefined && graph.taken.has(id.toLowerCase())) return EXISTS
  return {
    action: 'create',
    ...(id !== undefined && { givenId: id.toLowerCase() }),
    submitterId: submitterId ?? null,
  }
}

function resolveStored(asked: {
  readonly document: EntityDocument
  readonly stored: StoredEntity
  readonly submitterId: string | undefined
  readonly renamed: string | undefined
  readonly type: EntityType
  readonly graph: Graph
  readonly mayCorrect: boolean
}): Resolved | EntityIssue {
  const { document, stored, type, graph, renamed, mayCorrect } = asked
  const submitterId = renamed ?? asked.submitterId ?? stored.submitterId
  const other = submitterId === null ? undefined : named(graph, submitterId)
  if (other && other.id !== stored.id) {
    const { projectId } = graph.project
    const key = `{'project_id': '${projectId}', 'submitter_id': '${submitterId}'}`
    const message = `${other.type} with ${key} already exists`
    return issue('ERROR', ['project_id', 'submitter_id'], message)
  }
  if (!stored.isCurrent) {
    const why = stored.state === REDACTED ? "in state 'redacted'" : 'a former version'
    const message = `Entity is ${why}, which prevents an update.`
    return issue('INVALID_PERMISSIONS', ['id'], message)
  }
  if (isFileType(type) && isReleased(stored) && isOtherFile(document, stored)) {
    return { action: 'version', stored, submitterId }
  }
  if (wasReleased(stored) && mayCorrect) {
    const issue = fileNameIssue(document, stored)
    return issue ?? { action: 'update', stored, submitterId, isCorrection: true }
  }
  const locked = lockOf(stored, type)
  return locked ?? { action: 'update', stored, submitterId }
}

/** Returns an issue if a document renames a released file, whose bytes keep their name. */
function fileNameIssue(
  { file_name: name }: EntityDocument,
  { fileState, properties }: StoredEntity,
): EntityIssue | undefined {
  if (fileState === null || name === undefined || name === properties.file_name) return undefined
  const message =
    "Property 'file_name' of a released file changes with its data alone: give md5sum and file_size of the new version."
  return issue('INVALID_PERMISSIONS', ['file_name'], message)
}

/** Returns whether a file is submitted, so that new data become a new version instead of replacing the old data. */
function isReleased({ fileState, state }: StoredEntity): boolean {
  if (fileState === 'submitted' || fileState === 'released') return true
  return fileState === 'validated' && state === 'released'
}

function isOtherFile(document: EntityDocument, { properties }: StoredEntity): boolean {
  return ['md5sum', 'file_size'].some(
    (key) => document[key] !== undefined && document[key] !== properties[key],
  )
}

function lockOf({ state, fileState }: StoredEntity, type: EntityType): EntityIssue | undefined {
  if (state !== 'validated') {
    const remedy = state === 'released' ? ' It is corrected by a user with the role release.' : ''
    const message = `Entity is in state '${state}', which prevents an update.${remedy}`
    return issue('INVALID_PERMISSIONS', ['state'], message)
  }
  if (isFileType(type) && fileState !== null && !OPEN_FILE_STATES.has(fileState)) {
    const message = `File is in file_state '${fileState}', which prevents an update.`
    return issue('INVALID_PERMISSIONS', ['file_state'], message)
  }
  return undefined
}

/**
 * Creates the issue for a name or id that an entity of another type has.
 * @param found type of the existing entity
 */
export function otherTypeFound(found: string, given: string): EntityIssue {
  const message = `Existing ${found} entity found with type different from ${given}.`
  return issue('NOT_UNIQUE', ['id'], message)
}

function issue(type: IssueType, keys: readonly string[], message: string): EntityIssue {
  return { keys, message, type }
}
