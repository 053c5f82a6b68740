import type { OpenBlob } from '../../../shared/blobs/blob.ts'
import { blobKey } from '../../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import type { FileIdentity } from '../../../shared/blobs/identity.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'

/**
 * Opens the bytes of a file after checking that they match the catalogue.
 * @throws EngineError unavailable; like requireUnchanged
 */
export async function openStored(blobs: BlobStores, file: StoredFile): Promise<OpenBlob> {
  const blob = await blobs.of(file.storage).open(blobKey(file.id, file.fileName))
  try {
    requireUnchanged(file, blob.identity)
    return blob
  } catch (error) {
    await blob.close()
    throw error
  }
}

/**
 * Throws unless bytes have the recorded size and, for a linked file, have not been modified since.
 * @throws EngineError corrupt_source otherwise
 */
export function requireUnchanged(
  { id, size, linkedModified }: StoredFile,
  identity: FileIdentity,
): void {
  const isTouched = linkedModified !== null && linkedModified !== identity.modified
  if (identity.size === size && !isTouched) return
  throw new EngineError(
    'corrupt_source',
    isTouched
      ? `file ${id} was changed where it is linked to; import it again`
      : `file ${id} has ${identity.size} bytes instead of ${size}; import it again`,
  )
}
