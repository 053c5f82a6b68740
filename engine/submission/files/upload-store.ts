import type { Rows, Transaction } from '../../shared/database/database.ts'
import { markObjectsForRemoval } from './upload-objects.ts'

/**
 * Steps of an upload, in order: the body or its parts arrive, size and md5 are checked, and the bytes are moved to
 * where they are stored. `removing` comes instead if stored bytes are to be removed.
 */
type UploadStep = 'receiving' | 'checking' | 'placing' | 'removing'

export interface Upload {
  readonly id: string
  readonly entityId: string
  /** Whether the upload has one body or parts. */
  readonly kind: 'whole' | 'parts'
  readonly step: UploadStep
  /** Server that receives the whole body or processes the upload. Null: any server may. */
  readonly server: string | null
  /** Name of the folder or bucket that has the bytes: see UploadBytes.place. */
  readonly place: string
  /** Size of all bytes. Null until it is known. */
  readonly size: number | null
  /** md5 of all bytes in hex. Null until it is known. */
  readonly md5: string | null
  /** Name under which the bytes are stored. Null until they have been checked. */
  readonly fileName: string | null
}

export interface UploadPart {
  readonly number: number
  readonly size: number
  /** md5 in hex. */
  readonly md5: string
  /** Name of the part's bytes within the upload. */
  readonly name: string
  readonly modifiedAt: string
}

interface UploadRow {
  readonly id: string
  readonly entity_id: string
  readonly kind: Upload['kind']
  readonly step: UploadStep
  readonly server: string | null
  readonly place: string
  readonly size: number | null
  readonly md5: string | null
  readonly file_name: string | null
}

const UPLOAD = 'id, entity_id, kind, step, server, place, size, md5, file_name'

function uploadOf(row: UploadRow): Upload {
  const { entity_id: entityId, file_name: fileName, ...others } = row
  return { ...others, entityId, fileName }
}

async function uploads(rows: Rows, where: string, ...values: readonly (string | number)[]) {
  const sql = `SELECT ${UPLOAD} FROM submission_uploads WHERE ${where}`
  return (await rows.all<UploadRow>(sql, values)).map(uploadOf)
}

/**
 * Adds an upload.
 * @throws ConstraintError if another body for the file is in progress
 */
export async function insertUpload(
  transaction: Transaction,
  upload: Pick<Upload, 'id' | 'entityId' | 'kind' | 'step' | 'server' | 'place'>,
  now: string,
): Promise<void> {
  const { id, entityId, kind, step, server, place } = upload
  await transaction.run(
    `INSERT INTO submission_uploads (id, entity_id, kind, step, server, place, touched_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [id, entityId, kind, step, server, place, now],
  )
}

export async function findUpload(rows: Rows, id: string): Promise<Upload | undefined> {
  return (await uploads(rows, 'id = ?', id))[0]
}

/** Returns all uploads of a file. */
export function uploadsOf(rows: Rows, entityId: string): Promise<Upload[]> {
  return uploads(rows, 'entity_id = ? ORDER BY id', entityId)
}

/** Returns the uploads that belong to a server, alive or not. */
export function heldUploads(rows: Rows): Promise<Upload[]> {
  return uploads(rows, 'server IS NOT NULL ORDER BY id')
}

/** Returns the multipart uploads that have received nothing since a time. */
export function staleUploads(rows: Rows, since: string): Promise<Upload[]> {
  const where = `kind = 'parts' AND step = 'receiving' AND touched_at < ? ORDER BY id`
  return uploads(rows, where, since)
}

/** Returns the oldest uploads, up to `most`, that have arrived in these places and are assigned to no server. */
export function waitingUploads(
  rows: Rows,
  places: readonly string[],
  most: number,
): Promise<Upload[]> {
  const where = `step <> 'receiving' AND server IS NULL AND place IN (${marksFor(places)})
    ORDER BY touched_at, id LIMIT ${most}`
  return uploads(rows, where, ...places)
}

const marksFor = (values: readonly string[]) => values.map(() => '?').join()

/** Returns the uploads that have arrived at a place and are not stored yet. */
export function arrivedUploads(rows: Rows, place: string): Promise<Upload[]> {
  return uploads(rows, `step IN ('checking', 'placing') AND place = ? ORDER BY id`, place)
}

/** Returns the ids of all uploads at a place. Their folders have the same names. */
export async function uploadIds(rows: Rows, place: string): Promise<ReadonlySet<string>> {
  const sql = 'SELECT id FROM submission_uploads WHERE place = ?'
  return new Set((await rows.all<{ id: string }>(sql, [place])).map(({ id }) => id))
}

/** Assigns an upload to a server, or to no server for null. */
export async function holdUpload(
  transaction: Transaction,
  id: string,
  server: string | null,
): Promise<void> {
  const sql = 'UPDATE submission_uploads SET server = ? WHERE id = ?'
  await transaction.run(sql, [server, id])
}

/** Moves an upload to its next step. Undefined members are not changed. */
export async function advanceUpload(
  transaction: Transaction,
  id: string,
  to: Partial<Pick<Upload, 'size' | 'md5' | 'fileName'>> & {
    readonly step: UploadStep
    readonly server: string | null
    readonly now: string
  },
): Promise<void> {
  await transaction.run(
    `UPDATE submission_uploads SET step = ?, server = ?, size = coalesce(?, size),
       md5 = coalesce(?, md5), file_name = coalesce(?, file_name), touched_at = ? WHERE id = ?`,
    [to.step, to.server, to.size ?? null, to.md5 ?? null, to.fileName ?? null, to.now, id],
  )
}

/** Deletes the records of an upload and its parts. Bytes in a folder stay; objects are marked for removal. */
export async function removeUpload(transaction: Transaction, id: string): Promise<void> {
  await markObjectsForRemoval(transaction, id)
  await transaction.run('DELETE FROM submission_upload_parts WHERE upload_id = ?', [id])
  await transaction.run('DELETE FROM submission_uploads WHERE id = ?', [id])
}

/** Returns the parts of an upload in the order of their numbers. */
export async function partsOf(rows: Rows, uploadId: string): Promise<UploadPart[]> {
  const sql = `SELECT number, size, md5, name, modified_at AS "modifiedAt"
    FROM submission_upload_parts WHERE upload_id = ? ORDER BY number`
  return rows.all<UploadPart>(sql, [uploadId])
}

/** Records a part, replacing a part with the same number. Returns the file name of the replaced part. */
export async function putPart(
  transaction: Transaction,
  uploadId: string,
  { number, size, md5, name, modifiedAt }: UploadPart,
): Promise<string | undefined> {
  const known = await transaction.get<{ readonly name: string }>(
    'SELECT name FROM submission_upload_parts WHERE upload_id = ? AND number = ?',
    [uploadId, number],
  )
  await transaction.run(
    `INSERT INTO submission_upload_parts (upload_id, number, size, md5, name, modified_at)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (upload_id, number) DO UPDATE SET size = excluded.size, md5 = excluded.md5,
       name = excluded.name, modified_at = excluded.modified_at`,
    [uploadId, number, size, md5, name, modifiedAt],
  )
  const touch = 'UPDATE submission_uploads SET touched_at = ? WHERE id = ?'
  await transaction.run(touch, [modifiedAt, uploadId])
  return known?.name
}

export async function removeParts(
  transaction: Transaction,
  uploadId: string,
  numbers: readonly number[],
): Promise<void> {
  await transaction.runEach(
    'DELETE FROM submission_upload_parts WHERE upload_id = ? AND number = ?',
    numbers.map((number) => [uploadId, number]),
  )
}
