import type { BlobStores } from '../blobs/blob-stores.ts'
import { eachOf } from '../each-of.ts'
import type { FileCatalogue, StoredFile } from '../store/files.ts'
import type { StoredEntity } from '../submission/graph.ts'

/** States of files whose bytes are here and are what was announced (submission 13.2). */
const PROVED: ReadonlySet<string> = new Set([
  ...['validated', 'submitted', 'processing', 'processed', 'released'],
])

export interface StoredBytes {
  readonly files: FileCatalogue
  readonly blobs: BlobStores
}

/** What keeps files from being released, by their ids; nothing of those whose bytes are here. */
export async function bytesProblems(
  entities: readonly StoredEntity[],
  stored: StoredBytes,
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  const rows = await stored.files.findAll(entities.map(({ id }) => id))
  await eachOf(entities, async (entity) => {
    const problem = await problemOf(entity, rows.get(entity.id), stored.blobs)
    if (problem !== undefined) problems.set(entity.id, problem)
  })
  return problems
}

async function problemOf(
  { fileState, errorType, properties }: StoredEntity,
  row: StoredFile | undefined,
  blobs: BlobStores,
): Promise<string | undefined> {
  const { md5sum, file_size: size } = properties
  if (fileState === null || !PROVED.has(fileState)) {
    const why = errorType === null ? '' : ` (${errorType})`
    return `its data are not here: its file_state is '${fileState ?? 'none'}'${why}`
  }
  if (!row) return 'its data are not here: no file is stored under its id'
  if (row.md5 !== md5sum || row.size !== Number(size)) {
    return `what is stored has ${row.size} bytes and md5 ${row.md5}, the entity says otherwise`
  }
  return (await isThere(row, blobs)) ? undefined : 'its data are gone from where they were stored'
}

async function isThere({ id, fileName: name, storage, size }: StoredFile, blobs: BlobStores) {
  return (await blobs.of(storage).identity({ id, name }))?.size === size
}
