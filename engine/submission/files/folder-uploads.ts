import { stat } from 'node:fs/promises'
import type { BlobStore } from '../../shared/blobs/blob.ts'
import type { BlobKey } from '../../shared/blobs/blob-key.ts'
import type { BlobStores } from '../../shared/blobs/blob-stores.ts'
import type { DiskSpace } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'
import { assembleParts } from './assemble.ts'
import { type ArrivingBody, onDisk, type ReceivedBytes, receiveBody } from './receive.ts'
import type { ArrivedBytes, CheckedUpload, UploadBytes } from './upload-bytes.ts'
import type { UploadFolder } from './upload-folder.ts'
import type { UploadPart } from './upload-store.ts'

interface FolderUploadsOptions {
  readonly folder: UploadFolder
  readonly blobs: BlobStores
  readonly space: Pick<DiskSpace, 'require'>
}

/** Stores uploads in a folder of this server. */
export class FolderUploads implements UploadBytes {
  readonly #folder: UploadFolder
  readonly #blobs: BlobStores
  readonly #space: Pick<DiskSpace, 'require'>

  constructor({ folder, blobs, space }: FolderUploadsOptions) {
    this.#folder = folder
    this.#blobs = blobs
    this.#space = space
  }

  place(): Promise<string> {
    return this.#folder.place()
  }

  require(bytes: number): Promise<void> {
    return this.#space.require(bytes)
  }

  /** Writes a request body to a file. When the promise resolves, the file and its name are durable. */
  async receive(uploadId: string, name: string, body: ArrivingBody): Promise<ArrivedBytes> {
    const file = await onDisk(() => this.#folder.create(uploadId, name))
    const received = await receiveBody(file, body, this.#space)
    await onDisk(() => this.#folder.sync(uploadId))
    // Other servers cannot take the body over, because they have no access to the folder.
    return { ...received, keep: async () => {} }
  }

  // Parts of any size can be joined.
  requireOne(): void {}

  async check(
    uploadId: string,
    parts: readonly UploadPart[],
    signal: AbortSignal,
  ): Promise<ReceivedBytes> {
    return assembleParts(this.#folder, uploadId, parts, signal)
  }

  async store({ id, size }: CheckedUpload, key: BlobKey, signal: AbortSignal): Promise<BlobStore> {
    const { writing, folder } = this.#blobs
    const path = this.#folder.wholePath(id)
    if (await stat(path).catch(() => undefined)) {
      await writing.take(key, path, { signal })
      return writing
    }
    // An earlier call may have moved the file already.
    for (const store of new Set<BlobStore>([writing, folder])) {
      if ((await store.identity(key))?.size === size) return store
    }
    throw new EngineError('corrupt_source', 'bytes of an upload are not where they were put')
  }

  remove(uploadId: string): Promise<void> {
    return this.#folder.remove(uploadId)
  }

  async removeBodies(uploadId: string, names: readonly string[]): Promise<void> {
    for (const name of names) await this.#folder.removePart(uploadId, name)
  }
}
