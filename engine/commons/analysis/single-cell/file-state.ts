import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import type { FileIdentity } from '../../../shared/blobs/identity.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import { requireUnchanged } from '../../files/download/stored-bytes.ts'
import type { FileState } from './open-files.ts'

/** Returns the path and identity (size, time and inode) of a file in the data folder. */
export async function fileStateOf(file: StoredFile, blobs: BlobStores): Promise<FileState> {
  const { id, fileName } = file
  const path = await blobs.path({ id, name: fileName })
  return { path, identity: await identityOf(file, blobs) }
}

/**
 * Returns the identity of a stored file.
 * @throws EngineError unavailable if the file is missing or has been changed since it was stored
 */
export async function identityOf(file: StoredFile, blobs: BlobStores): Promise<FileIdentity> {
  const identity = await blobs.of(file.storage).identity({ id: file.id, name: file.fileName })
  if (!identity) throw new EngineError('unavailable', 'stored file cannot be opened')
  requireUnchanged(file, identity)
  return identity
}
