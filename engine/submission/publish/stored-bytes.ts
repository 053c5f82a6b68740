import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import type { FileCatalogue, StoredFile } from '../../shared/catalogue/files.ts'
import { eachOf } from '../../shared/concurrency/each-of.ts'
import type { StoredEntity } from '../transactions/graph.ts'

/** States of files whose bytes are stored and verified (submission.md 13.2). */
export const VERIFIED: ReadonlySet<string> = new Set([
  'validated',
  'submitted',
  'processing',
  'processed',
  'released',
])

export interface StoredBytes {
  readonly files: FileCatalogue
  readonly blobs: BlobStores
}

/** Returns why files cannot be released, keyed by id. Files with verified bytes are left out. */
export async function bytesProblems(
  entities: readonly StoredEntity[],
  stored: StoredBytes,
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  const ids = entities.map(({ id }) => id)
  const rows = await stored.files.findAll(ids)
  const owners = await stored.files.owners.of(ids)
  await eachOf(entities, async (entity) => {
    const isOwn = owners.get(entity.id) === entity.projectId
    const problem = await problemOf(entity, { row: rows.get(entity.id), isOwn }, stored.blobs)
    if (problem !== undefined) problems.set(entity.id, problem)
  })
  return problems
}

async function problemOf(
  { fileState, errorType, properties }: StoredEntity,
  { row, isOwn }: { readonly row: StoredFile | undefined; readonly isOwn: boolean },
  blobs: BlobStores,
): Promise<string | undefined> {
  const { md5sum, file_size: size } = properties
  if (fileState === null || !VERIFIED.has(fileState)) {
    const why = errorType === null ? '' : ` (${errorType})`
    return `its data are not here: its file_state is '${fileState ?? 'none'}'${why}`
  }
  if (!row) return 'its data are not here: no file is stored under its id'
  if (!isOwn) return 'what is stored under its id was not stored by its project'
  if (row.md5 !== md5sum || row.size !== Number(size)) {
    return `what is stored has ${row.size} bytes and md5 ${row.md5}, the entity says otherwise`
  }
  return (await isThere(row, blobs)) ? undefined : 'its data are gone from where they were stored'
}

async function isThere({ id, fileName: name, storage, size }: StoredFile, blobs: BlobStores) {
  return (await blobs.of(storage).identity({ id, name }))?.size === size
}
