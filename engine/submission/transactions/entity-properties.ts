import { isDeepStrictEqual } from 'node:util'
import type { EntityType } from '../dictionary/entity-type.ts'
import type { EntityIssue } from './entity-issue.ts'
import { isFileType, type StoredEntity } from './graph.ts'
import { literal, shortened } from './literal.ts'
import { NEW_SUBMITTER_ID, type Resolved } from './resolve-entity.ts'
import type { EntityDocument } from './submitted.ts'

/** Members that are stored in columns of their own. In a document, they have been checked before. */
const OUTSIDE: ReadonlySet<string> = new Set([
  'type',
  'id',
  'project_id',
  'submitter_id',
  'state',
  'file_state',
  'error_type',
  'created_datetime',
  'updated_datetime',
])

interface OwnDocument {
  /** The document without system properties. */
  readonly document: EntityDocument
  readonly warnings: readonly EntityIssue[]
}

/**
 * Removes system properties from a document, with a warning if they differ from the stored values. Also removes
 * properties that are null and not stored, because exports contain all properties of a type.
 */
export function withoutSystemProperties(
  document: EntityDocument,
  type: EntityType,
  stored: StoredEntity | undefined,
): OwnDocument {
  const warnings: EntityIssue[] = []
  const own: Record<string, unknown> = {}
  for (const key of Object.keys(document)) {
    const value = document[key]
    if (key === NEW_SUBMITTER_ID || key === 'created_datetime' || key === 'updated_datetime')
      continue
    if (value === null && stored && isUnset(key, type, stored)) continue
    if (!type.systemProperties.has(key) || key === 'id' || key === 'project_id') {
      putOwn(own, key, value)
      continue
    }
    if (value === systemValue(key, type, stored)) continue
    const message = `Property '${key}' (${shown(value)}) is a system property and will be ignored.`
    warnings.push({ keys: [key], message, type: 'INVALID_PROPERTY' })
  }
  return { document: own, warnings }
}

/** Assigns a member. `__proto__` needs defineProperty to become an own member. */
function putOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true })
}

function isUnset(key: string, type: EntityType, { properties }: StoredEntity): boolean {
  const isOwn = type.properties.has(key) && !type.links.has(key) && !OUTSIDE.has(key)
  return isOwn && !type.required.includes(key) && !Object.hasOwn(properties, key)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? shortened(value) : literal(value)
}

function systemValue(key: string, type: EntityType, stored: StoredEntity | undefined): unknown {
  if (!stored) return type.properties.get(key)?.default ?? null
  switch (key) {
    case 'state':
      return stored.state
    case 'file_state':
      return stored.fileState
    case 'error_type':
      return stored.errorType
    default:
      return stored.properties[key] ?? null
  }
}

/**
 * Builds the entity of a valid document: its members, and those stored members that it does not name.
 * @param now time of the transaction in ISO 8601
 */
export function entityOf(
  document: EntityDocument,
  type: EntityType,
  { action, stored, submitterId, isCorrection = false }: Resolved,
  made: { readonly id: string; readonly projectId: string; readonly now: string },
): StoredEntity {
  const properties = mergedProperties(document, type, stored)
  if (stored && action === 'update') {
    const entity = { ...stored, submitterId, properties }
    if (isEqual(entity, stored)) return stored
    return isCorrection ? corrected(entity, made.now) : { ...entity, updatedAt: made.now }
  }
  return {
    id: made.id,
    projectId: made.projectId,
    type: type.name,
    submitterId,
    state: String(type.properties.get('state')?.default ?? 'validated'),
    fileState: isFileType(type)
      ? String(type.properties.get('file_state')?.default ?? 'registered')
      : null,
    errorType: null,
    properties,
    createdAt: made.now,
    updatedAt: made.now,
    isCurrent: true,
    version: (stored?.version ?? 0) + 1,
    supersedes: stored?.id ?? null,
  }
}

/**
 * Marks a released entity as changed, so that the next release updates it (submission.md 7.5). The version of
 * a file changes only with its data.
 */
export function corrected(entity: StoredEntity, now: string): StoredEntity {
  const { state, fileState, version } = entity
  const isFirst = fileState === null && state === 'released'
  return {
    ...entity,
    state: 'submitted',
    version: isFirst ? version + 1 : version,
    updatedAt: now,
  }
}

function mergedProperties(
  document: EntityDocument,
  type: EntityType,
  stored: StoredEntity | undefined,
): EntityDocument {
  const merged: Record<string, unknown> = { ...stored?.properties }
  if (!stored) {
    for (const key of type.systemProperties) {
      const value = type.properties.get(key)?.default
      if (!OUTSIDE.has(key) && value !== undefined) merged[key] = value
    }
  }
  for (const key of Object.keys(document)) {
    if (OUTSIDE.has(key) || type.links.has(key)) continue
    if (document[key] !== null) putOwn(merged, key, document[key])
    else if (Object.hasOwn(merged, key)) delete merged[key]
  }
  return merged
}

function isEqual(a: StoredEntity, b: StoredEntity): boolean {
  return a.submitterId === b.submitterId && isDeepStrictEqual(a.properties, b.properties)
}
