import type { Rows, Transaction } from '../../shared/database/database.ts'

/** An object of an upload in the bucket. It is recorded before it is written. */
export interface UploadObject {
  /** Id of the upload of casemill, not of the bucket's multipart upload. */
  readonly uploadId: string
  /** Unique within the upload. For a request body, the name of its part, or WHOLE. */
  readonly name: string
  /** Key of the object if it is composed to become a stored file. Null for a request body of the upload. */
  readonly target: string | null
  /** Id of the bucket's multipart upload while that may be unfinished. */
  readonly multipart: string | null
}

const OBJECT = 'upload_id AS "uploadId", name, target, multipart'

/** Records an object that a server is about to write. */
export async function insertObject(
  transaction: Transaction,
  { uploadId, name, target, multipart }: UploadObject,
  at: { readonly place: string; readonly server: string },
): Promise<void> {
  await transaction.run(
    `INSERT INTO submission_upload_objects (upload_id, name, place, target, multipart, server, is_gone)
     VALUES (?, ?, ?, ?, ?, ?, 0)`,
    [uploadId, name, at.place, target, multipart, at.server],
  )
}

/**
 * Records the id of the bucket's multipart upload.
 * @returns false if the object was marked for removal: other servers considered this server dead, or the upload
 *   was deleted
 */
export async function setMultipart(
  transaction: Transaction,
  { uploadId, name, multipart }: Omit<UploadObject, 'target'>,
  server: string,
): Promise<boolean> {
  const { changes } = await transaction.run(
    `UPDATE submission_upload_objects SET multipart = ?
     WHERE upload_id = ? AND name = ? AND server = ? AND is_gone = 0`,
    [multipart, uploadId, name, server],
  )
  return changes === 1
}

/**
 * Records that an object is complete, with its entity tag.
 * @returns false as for setMultipart
 */
export async function completeObject(
  transaction: Transaction,
  { uploadId, name, tag }: Pick<UploadObject, 'uploadId' | 'name'> & { readonly tag: string },
  server: string,
): Promise<boolean> {
  const { changes } = await transaction.run(
    `UPDATE submission_upload_objects SET tag = ?, multipart = NULL, server = NULL
     WHERE upload_id = ? AND name = ? AND server = ? AND is_gone = 0`,
    [tag, uploadId, name, server],
  )
  return changes === 1
}

/** Returns the entity tags of an upload's complete bodies, keyed by name. */
export async function bodyTags(rows: Rows, uploadId: string): Promise<ReadonlyMap<string, string>> {
  const sql = `SELECT name, tag FROM submission_upload_objects
    WHERE upload_id = ? AND tag IS NOT NULL AND is_gone = 0`
  const tags = await rows.all<{ readonly name: string; readonly tag: string }>(sql, [uploadId])
  return new Map(tags.map(({ name, tag }) => [name, tag]))
}

/** Marks all objects with a target for removal. The caller has the upload, so no living server still writes them. */
export async function markTargetsForRemoval(
  transaction: Transaction,
  uploadId: string,
): Promise<void> {
  const sql = `UPDATE submission_upload_objects SET is_gone = 1
    WHERE upload_id = ? AND target IS NOT NULL`
  await transaction.run(sql, [uploadId])
}

/** Deletes the records of the objects with a target that a server composed for an upload: they are files now. */
export async function deleteTargetRecords(
  transaction: Transaction,
  uploadId: string,
  server: string,
): Promise<void> {
  const sql = `DELETE FROM submission_upload_objects
    WHERE upload_id = ? AND target IS NOT NULL AND server = ? AND is_gone = 0`
  await transaction.run(sql, [uploadId, server])
}

/** Marks all objects of an upload for removal. */
export async function markObjectsForRemoval(
  transaction: Transaction,
  uploadId: string,
): Promise<void> {
  const sql = 'UPDATE submission_upload_objects SET is_gone = 1 WHERE upload_id = ?'
  await transaction.run(sql, [uploadId])
}

/** Marks request bodies for removal, even without a record: a body may be written after its record is deleted. */
export async function markBodiesForRemoval(
  transaction: Transaction,
  bodies: Iterable<Pick<UploadObject, 'uploadId' | 'name'>>,
  place: string,
): Promise<void> {
  await transaction.runEach(
    `INSERT INTO submission_upload_objects (upload_id, name, place, is_gone) VALUES (?, ?, ?, 1)
     ON CONFLICT (upload_id, name) DO UPDATE SET is_gone = 1`,
    Array.from(bodies, ({ uploadId, name }) => [uploadId, name, place]),
  )
}

/**
 * Marks objects for removal that dead servers began to write.
 * @param living ids of the servers that are not dead
 */
export async function markUnfinishedForRemoval(
  transaction: Transaction,
  living: ReadonlySet<string>,
): Promise<void> {
  const writers = await transaction.all<{ readonly server: string }>(
    'SELECT DISTINCT server FROM submission_upload_objects WHERE server IS NOT NULL AND is_gone = 0',
  )
  await transaction.runEach(
    'UPDATE submission_upload_objects SET is_gone = 1 WHERE server = ?',
    writers.filter(({ server }) => !living.has(server)).map(({ server }) => [server]),
  )
}

/** Returns up to `most` objects in a bucket that are marked for removal. */
export function objectsToRemove(rows: Rows, place: string, most: number): Promise<UploadObject[]> {
  const sql = `SELECT ${OBJECT} FROM submission_upload_objects
    WHERE is_gone = 1 AND place = ? ORDER BY upload_id, name LIMIT ${most}`
  return rows.all<UploadObject>(sql, [place])
}

/** Deletes the records of objects that no longer exist. */
export async function deleteObjectRecords(
  transaction: Transaction,
  objects: readonly Pick<UploadObject, 'uploadId' | 'name'>[],
): Promise<void> {
  await transaction.runEach(
    'DELETE FROM submission_upload_objects WHERE upload_id = ? AND name = ?',
    objects.map(({ uploadId, name }) => [uploadId, name]),
  )
}
