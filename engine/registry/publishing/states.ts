import { createHash } from 'node:crypto'
import type { RecordBody } from './bodies.ts'
import type { RecordContent } from './definition.ts'
import type { Edit } from './edit.ts'
import { DEVELOPMENT, LATEST, type StoredItem, type StoredRecord } from './stored.ts'

// Transitions of the copies of a record (registry.md 3.1).

/** The copies of an existing record. */
export interface Copies {
  readonly development: StoredItem
  readonly production: StoredItem | undefined
}

/** The requested state of a record. */
export interface WantedRecord {
  readonly body: RecordBody
  readonly content: RecordContent
}

/** Returns whether two copies have the same content and editors' notes. */
export function isSame(a: StoredItem, b: StoredItem): boolean {
  return (
    a.fingerprint === b.fingerprint &&
    a.status === b.status &&
    a.assignedTo === b.assignedTo &&
    a.note === b.note &&
    JSON.stringify(a.fieldNotes) === JSON.stringify(b.fieldNotes)
  )
}

/** Returns whether both copies equal `noted`. There is then nothing to publish. */
export function isPublished({ development, production }: Copies, noted: StoredItem): boolean {
  return isSame(development, noted) && production !== undefined && isSame(noted, production)
}

/** Returns the fingerprint of a content, equal for equal contents, as members have a fixed order. */
export function fingerprintOf(document: string): string {
  return createHash('sha256').update(document).digest('hex')
}

/** Creates the development copy for a body. The copy is not stored yet and has no revision. */
export function wantedCopy(
  id: string,
  { body, content }: WantedRecord,
  { before, date }: { readonly before: StoredItem | undefined; readonly date: string },
): StoredRecord {
  const document = JSON.stringify(content)
  return {
    id,
    name: content.name,
    type: content.type ?? null,
    fingerprint: fingerprintOf(document),
    status: body.status ?? before?.status ?? 'DRAFT',
    assignedTo: body.assigned_to ?? null,
    note: body.note ?? null,
    fieldNotes: body.field_notes ?? null,
    hidden: before?.hidden ?? false,
    firstPublished: before?.firstPublished ?? null,
    lastModified: date,
    revision: 0,
    document,
  }
}

/**
 * Publishes `noted`, which is the development copy with its new notes. Afterwards, both copies of the record are
 * equal, except that either may be hidden.
 */
export async function publishCopy(
  edit: Edit,
  { development, production }: Copies,
  noted: StoredItem,
): Promise<void> {
  if (isPublished({ development, production }, noted)) return
  const isNoted = !isSame(development, noted)
  const firstPublished = development.firstPublished ?? edit.date
  const hasChanged = production?.fingerprint !== noted.fingerprint
  await edit.store(DEVELOPMENT, {
    before: development,
    after: {
      ...noted,
      firstPublished,
      lastModified: isNoted ? edit.date : development.lastModified,
    },
    entry: isNoted ? 'MOD' : undefined,
  })
  await edit.store(LATEST, {
    before: production,
    after: {
      ...noted,
      firstPublished,
      lastModified: production && !hasChanged ? production.lastModified : edit.date,
    },
    entry: production ? (hasChanged ? 'MOD' : undefined) : 'ADD',
  })
}
