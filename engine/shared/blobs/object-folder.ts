import { EngineError } from '../errors.ts'
import type { OpenBlob, PutOptions } from './blob.ts'
import { ObjectBlob } from './object-blob.ts'
import type { ListedObject, ObjectClient } from './object-client.ts'
import type { PageMemory } from './page-memory.ts'
import { uploadFile } from './upload.ts'

/** Objects of a bucket under one prefix, such as backups. They do not belong to stored files. */
export class ObjectFolder {
  readonly #client: ObjectClient
  readonly #prefix: string
  readonly #pages: PageMemory

  /** @param prefix key prefix, including the slash at its end */
  constructor(client: ObjectClient, prefix: string, pages: PageMemory) {
    this.#client = client
    this.#prefix = prefix
    this.#pages = pages
  }

  /** Yields all objects, with their names relative to the prefix. */
  async *list(): AsyncGenerator<ListedObject> {
    for await (const object of this.#client.objects(this.#prefix)) {
      yield { ...object, key: object.key.slice(this.#prefix.length) }
    }
  }

  /**
   * Opens an object.
   * @throws EngineError `unavailable` if it does not exist or the storage does not answer
   */
  async open(name: string): Promise<OpenBlob> {
    const key = this.#prefix + name
    const identity = await this.#client.identity(key)
    if (identity) return new ObjectBlob(this.#client, key, identity, this.#pages)
    const bucket = JSON.stringify(this.#client.bucket)
    throw new EngineError('unavailable', `object "${name}" is not in bucket ${bucket}`)
  }

  /**
   * Uploads a local file.
   * @throws EngineError `unavailable`, `conflict` if the file changes during the upload; the signal's reason
   */
  async put(name: string, path: string, options?: PutOptions): Promise<void> {
    const key = this.#prefix + name
    const { size } = await uploadFile(this.#client, key, path, options)
    this.#requireSize(size, await this.#client.identity(key))
  }

  /** Uploads a small object from memory. */
  async putBytes(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
    const key = this.#prefix + name
    await this.#client.put(key, bytes, signal)
    this.#requireSize(bytes.length, await this.#client.identity(key))
  }

  async remove(name: string): Promise<void> {
    await this.#client.remove(this.#prefix + name)
  }

  #requireSize(sent: number, stored: { readonly size: number } | undefined): void {
    if (stored?.size === sent) return
    const message = `object storage has ${stored?.size ?? 'none'} of the ${sent} bytes that were sent`
    throw new EngineError('unavailable', message)
  }
}
