import { EngineError } from '../errors.ts'
import type { BlobStore, StorageKind } from './blob.ts'
import type { FolderStore } from './folder-store.ts'

/** The places for bytes that this service has. */
export class BlobStores {
  /** What is made here of stored files lies in it, too, wherever their bytes are. */
  readonly folder: FolderStore
  readonly #objects: BlobStore | undefined

  constructor(folder: FolderStore, objects?: BlobStore) {
    this.folder = folder
    this.#objects = objects
  }

  /** Where new files go. */
  get writing(): BlobStore {
    return this.#objects ?? this.folder
  }

  /** @throws EngineError unavailable when the bytes are where this service was not told to look */
  of(kind: StorageKind): BlobStore {
    if (kind === 'folder') return this.folder
    if (this.#objects) return this.#objects
    throw new EngineError(
      'unavailable',
      'the bytes are in object storage, which is not set up; set CASEMILL_S3_BUCKET',
    )
  }
}
