import { stat } from 'node:fs/promises'
import type { FileCatalogue } from '../../shared/catalogue/files.ts'
import type { Rows } from '../../shared/database/database.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import type { UploadFolder } from './upload-folder.ts'
import { arrivedUploads, partsOf, type Upload } from './upload-store.ts'

/**
 * Returns the ids of received uploads whose bytes are missing in a copy of the database and the folder, because
 * they were moved while the copy was made.
 */
export async function uploadsAway(
  rows: Rows,
  folder: UploadFolder,
  files: FileCatalogue,
): Promise<readonly string[]> {
  const uploads = await arrivedUploads(rows, await folder.place())
  const stored = await files.findAll(uploads.map(({ entityId }) => entityId))
  const away: string[] = []
  for (const upload of uploads) {
    const isHere = stored.has(upload.entityId) || (await isWhole(rows, folder, upload))
    if (!isHere) away.push(upload.id)
  }
  return away
}

/** Returns whether the joined file and the remaining parts have no gap (see assembleParts). */
async function isWhole(rows: Rows, folder: UploadFolder, { id, size }: Upload): Promise<boolean> {
  const sizeOf = async (path: string) => (await unlessAbsent(stat(path)))?.size
  const whole = await sizeOf(folder.wholePath(id))
  if (size !== null) return whole === size
  let end = 0
  for (const part of await partsOf(rows, id)) {
    end += part.size
    const isThere = (await sizeOf(folder.partPath(id, part.name))) === part.size
    if (!isThere && (whole ?? 0) < end) return false
  }
  return true
}
