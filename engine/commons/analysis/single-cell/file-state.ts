import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import type { FileIdentity } from '../../../shared/blobs/identity.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import { mustBeAsStored } from '../../files/download/stored-bytes.ts'
import type { FileState } from './open-files.ts'

/** Where the bytes of a file of this machine are, and which state of it that is. */
export async function fileStateOf(file: StoredFile, blobs: BlobStores): Promise<FileState> {
  const { id, fileName } = file
  const path = await blobs.path({ id, name: fileName })
  return { path, identity: await identityOf(file, blobs) }
}

/** @throws EngineError unavailable when the bytes are not there, or not those that were stored */
export async function identityOf(file: StoredFile, blobs: BlobStores): Promise<FileIdentity> {
  const identity = await blobs.of(file.storage).identity({ id: file.id, name: file.fileName })
  if (!identity) throw new EngineError('unavailable', 'stored file cannot be opened')
  mustBeAsStored(file, identity)
  return identity
}
