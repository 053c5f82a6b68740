import { EngineError } from '../errors.ts'
import type { Addresses } from './address.ts'
import { AddressStore } from './address-store.ts'
import type { BlobStore, StorageKind } from './blob.ts'
import type { BlobKey } from './blob-key.ts'
import type { FolderStore } from './folder-store.ts'
import { MadeStore, type Making } from './made-store.ts'

/** The places for bytes that this service has. */
export class BlobStores {
  /** What is made here of stored files lies in it, too, wherever their bytes are. */
  readonly folder: FolderStore
  readonly #local: FolderStore | MadeStore | AddressStore
  readonly #objects: BlobStore | undefined

  /**
   * @param making of bytes of files on record that the folder need not hold
   * @param addresses of bytes of files on record that are elsewhere
   */
  constructor(folder: FolderStore, objects?: BlobStore, making?: Making, addresses?: Addresses) {
    this.folder = folder
    const local = making ? new MadeStore(folder, making) : folder
    this.#local = addresses ? new AddressStore(local, folder, addresses) : local
    this.#objects = objects
  }

  /** Where new files go. */
  get writing(): BlobStore {
    return this.#objects ?? this.folder
  }

  /** @throws EngineError unavailable when the bytes are where this service does not look */
  of(kind: StorageKind): BlobStore {
    if (kind === 'folder') return this.#local
    if (this.#objects) return this.#objects
    throw new EngineError(
      'unavailable',
      'the bytes are in object storage, which is not set up; set CASEMILL_S3_BUCKET',
    )
  }

  /**
   * Absolute path of bytes of this machine, for what reads files by their paths.
   * @throws EngineError `bad_input` as blobKey; as MadeStore.path
   */
  async path(key: BlobKey): Promise<string> {
    return this.#local.path(key)
  }
}
