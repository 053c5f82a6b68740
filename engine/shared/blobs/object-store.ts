import { rm } from 'node:fs/promises'
import type { Availability } from '../availability.ts'
import { EngineError } from '../errors.ts'
import type { BlobStore, OpenBlob, PutOptions } from './blob.ts'
import { type BlobKey, blobKey } from './blob-key.ts'
import type { FileIdentity } from './identity.ts'
import { ObjectBlob } from './object-blob.ts'
import {
  ObjectClient,
  type ObjectStoreOptions,
  type PresignedUrl,
  type PresignOptions,
} from './object-client.ts'
import { ObjectFolder } from './object-folder.ts'
import { PageMemory } from './page-memory.ts'
import { uploadFile } from './upload.ts'

export type { PresignedUrl } from './object-client.ts'

/** Stores bytes in an S3-compatible bucket, in objects named `<prefix><id>/<name>`. */
export class ObjectStore implements BlobStore {
  readonly kind = 's3'
  /** @internal */
  readonly client: ObjectClient
  /** Prefix of every object name: empty, or ending with a slash. @internal */
  readonly prefix: string
  readonly #pages: PageMemory

  constructor(options: ObjectStoreOptions, pages = new PageMemory()) {
    this.client = new ObjectClient(options)
    const prefix = (options.prefix ?? '').replace(/^\/+|\/+$/g, '')
    this.prefix = prefix === '' ? '' : `${prefix}/`
    this.#pages = pages
  }

  async open(key: BlobKey): Promise<OpenBlob> {
    const identity = await this.identity(key)
    if (!identity) {
      const { bucket } = this.client
      throw new EngineError('unavailable', `object is not in bucket ${JSON.stringify(bucket)}`)
    }
    return new ObjectBlob(this.client, this.nameOf(key), identity, this.#pages)
  }

  async identity(key: BlobKey): Promise<FileIdentity | undefined> {
    return this.client.identity(this.nameOf(key))
  }

  async take(key: BlobKey, path: string, options?: PutOptions): Promise<void> {
    const { size } = await uploadFile(this.client, this.nameOf(key), path, options)
    const stored = await this.identity(key)
    if (stored?.size !== size) {
      throw new EngineError(
        'unavailable',
        `object storage has ${stored?.size ?? 'none'} of the ${size} bytes that were sent`,
      )
    }
    await rm(path)
  }

  async remove(key: BlobKey): Promise<void> {
    await this.client.remove(this.nameOf(key))
  }

  /** Returns whether the storage answers. Used by monitoring. */
  async availability(): Promise<Availability> {
    return this.client.availability(`${this.prefix}availability`)
  }

  /** Yields the keys of stored files. Other objects under the prefix are left out. */
  async *keys(): AsyncGenerator<BlobKey> {
    for await (const name of this.client.keys(this.prefix)) {
      const key = keyOf(name.slice(this.prefix.length))
      if (key) yield key
    }
  }

  /**
   * Creates a URL with which anyone can read the bytes until the URL expires. It cannot be revoked.
   * @throws EngineError `unavailable` if there are no credentials to sign it with
   */
  presign(key: BlobKey, options: PresignOptions): Promise<PresignedUrl> {
    return this.client.presign(this.nameOf(key), options)
  }

  /** Returns the objects under another prefix. They do not belong to stored files. */
  folder(name: string): ObjectFolder {
    return new ObjectFolder(this.client, `${this.prefix}${name}/`, this.#pages)
  }

  /** Closes all connections. Reads in progress fail. */
  async close(): Promise<void> {
    await this.client.close()
  }

  /** Returns the name of an object in the bucket. @internal */
  nameOf({ id, name }: BlobKey): string {
    const key = blobKey(id, name)
    return `${this.prefix}${key.id}/${key.name}`
  }
}

function keyOf(text: string): BlobKey | undefined {
  const slash = text.indexOf('/')
  try {
    return blobKey(text.slice(0, slash), text.slice(slash + 1))
  } catch (error) {
    if (error instanceof EngineError) return undefined
    throw error
  }
}
