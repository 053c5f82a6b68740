import type { OpenBlob } from '../blobs/blob.ts'
import { blobKey } from '../blobs/blob-key.ts'
import type { BlobStores } from '../blobs/blob-stores.ts'
import { EngineError } from '../errors.ts'
import type { StoredFile } from '../store/files.ts'

/**
 * Opens the bytes of a file, having looked that they are as long as on record and, where they are
 * only linked to, that nobody has touched them since.
 * @throws EngineError unavailable, corrupt_source
 */
export async function openStored(blobs: BlobStores, file: StoredFile): Promise<OpenBlob> {
  const { id, fileName, storage, size, linkedModified } = file
  const blob = await blobs.of(storage).open(blobKey(id, fileName))
  const { identity } = blob
  const isTouched = linkedModified !== null && linkedModified !== identity.modified
  if (identity.size === size && !isTouched) return blob
  await blob.close()
  throw new EngineError(
    'corrupt_source',
    isTouched
      ? `file ${id} was changed where it is linked to; import it again`
      : `file ${id} has ${identity.size} bytes instead of ${size}; import it again`,
  )
}
