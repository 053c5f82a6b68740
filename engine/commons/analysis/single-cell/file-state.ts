import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import type { FileIdentity } from '../../../shared/blobs/identity.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import { mustBeAsStored } from '../../files/download/stored-bytes.ts'
import type { FileState } from './open-files.ts'

/** Returns the path and identity of a local file. */
export async function fileStateOf(file: StoredFile, blobs: BlobStores): Promise<FileState> {
  const { id, fileName } = file
  const path = await blobs.path({ id, name: fileName })
  return { path, identity: await identityOf(file, blobs) }
}

/**
 * Returns the identity of a file's bytes.
 * @throws EngineError unavailable if they are missing or not those that were stored
 */
export async function identityOf(file: StoredFile, blobs: BlobStores): Promise<FileIdentity> {
  const identity = await blobs.of(file.storage).identity({ id: file.id, name: file.fileName })
  if (!identity) throw new EngineError('unavailable', 'stored file cannot be opened')
  mustBeAsStored(file, identity)
  return identity
}
