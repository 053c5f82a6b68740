import { EngineError } from '../errors.ts'
import type { Addresses } from './address.ts'
import { AddressStore } from './address-store.ts'
import type { BlobStore, StorageKind } from './blob.ts'
import type { BlobKey } from './blob-key.ts'
import type { FolderStore } from './folder-store.ts'
import { MadeStore, type Making } from './made-store.ts'

/** The byte storages of this service. */
export class BlobStores {
  /** Folder store. It contains derived files even if the file itself is in object storage. */
  readonly folder: FolderStore
  readonly #local: FolderStore | MadeStore | AddressStore
  readonly #objects: BlobStore | undefined

  /**
   * @param making generates the bytes of files that need not be stored
   * @param addresses opens files whose bytes are stored at an address
   */
  constructor(folder: FolderStore, objects?: BlobStore, making?: Making, addresses?: Addresses) {
    this.folder = folder
    const local = making ? new MadeStore(folder, making) : folder
    this.#local = addresses ? new AddressStore(local, folder, addresses) : local
    this.#objects = objects
  }

  /** Storage for new files. */
  get writing(): BlobStore {
    return this.#objects ?? this.folder
  }

  /**
   * Returns the storage of a kind.
   * @throws EngineError `unavailable` if it is not configured
   */
  of(kind: StorageKind): BlobStore {
    if (kind === 'folder') return this.#local
    if (this.#objects) return this.#objects
    throw new EngineError(
      'unavailable',
      'the bytes are in object storage, which is not set up; set CASEMILL_S3_BUCKET',
    )
  }

  /**
   * Returns the absolute path of local bytes, for code that reads files by path.
   * @throws EngineError `bad_input` as blobKey, and the errors of MadeStore.path
   */
  async path(key: BlobKey): Promise<string> {
    return this.#local.path(key)
  }
}
