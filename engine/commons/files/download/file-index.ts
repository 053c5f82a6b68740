import type { OpenBlob } from '../../../shared/blobs/blob.ts'
import { blobKey } from '../../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../../shared/blobs/blob-stores.ts'
import { fingerprintOf, sameIdentity } from '../../../shared/blobs/identity.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { FoundFile } from './resolve.ts'

/** Endings that programs append to the address of a file to request its index. */
export const INDEX_ENDINGS = Object.freeze(['bai', 'csi', 'crai', 'tbi', 'gzi'] as const)
export type IndexEnding = (typeof INDEX_ENDINGS)[number]

/** Returns whether a file name has the ending of an index kind. */
export const endsIn = (name: string, ending: IndexEnding): boolean =>
  name.toLowerCase().endsWith(`.${ending}`)

/** Creates the error for a missing index. Programs respond to it by requesting the next kind of index. */
export function noSuchIndex({ id }: FoundFile, ending: IndexEnding): EngineError {
  return new EngineError('not_found', `file ${id} has no index that ends in .${ending}`)
}

/** An index that is stored beside the bytes of its file. */
export interface BesideIndex {
  readonly size: number
  /** Equal for equal bytes, for cache validation. */
  readonly fingerprint: string
  /**
   * Opens the index.
   * @throws EngineError unavailable, also if the index has been replaced
   */
  open(): Promise<OpenBlob>
}

/**
 * Finds the index that is stored beside the bytes of a file, under the file's own id.
 * @throws EngineError unavailable if the storage does not respond
 */
export async function besideIndex(
  blobs: BlobStores,
  { id, storage }: StoredFile,
  indexName: string,
): Promise<BesideIndex | undefined> {
  const key = blobKey(id, indexName)
  const store = blobs.of(storage)
  const identity = await store.identity(key)
  if (!identity) return undefined
  return {
    size: identity.size,
    fingerprint: fingerprintOf(identity),
    async open() {
      const blob = await store.open(key)
      if (sameIdentity(identity, blob.identity)) return blob
      await blob.close()
      throw new EngineError('unavailable', `the index of file ${id} was replaced; ask again`)
    },
  }
}
