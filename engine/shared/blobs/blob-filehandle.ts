import type { FilehandleOptions, GenericFilehandle, Stats } from 'generic-filehandle2'
import { EngineError } from '../errors.ts'
import type { OpenBlob } from './blob.ts'

/** Maximum size of one read. A reader that needs more must read in windows. */
const MAX_READ_BYTES = 64 << 20

/**
 * Adapts a stored blob (in a folder, a bucket, or at an address) to the file handles of the `@gmod` packages.
 * The caller who opened the blob closes it.
 */
export class BlobFilehandle implements GenericFilehandle {
  readonly #blob: OpenBlob

  constructor(blob: OpenBlob) {
    this.#blob = blob
  }

  /** @throws EngineError `too_large` beyond 64 MiB, and the errors of OpenBlob.read */
  async read(
    length: number,
    position: number,
    { signal }: Pick<FilehandleOptions, 'signal'> = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const there = Math.max(0, Math.min(length, this.#blob.identity.size - position))
    if (there > MAX_READ_BYTES) {
      throw new EngineError(
        'too_large',
        `${there} bytes were requested at once; request them in parts`,
      )
    }
    const bytes = new Uint8Array(there)
    const filled = await this.#blob.read(bytes, position, { signal })
    return bytes.subarray(0, filled)
  }

  readFile(options?: Omit<FilehandleOptions, 'encoding'>): Promise<Uint8Array<ArrayBuffer>>
  readFile(options: unknown): Promise<string>
  async readFile(options?: unknown): Promise<Uint8Array<ArrayBuffer> | string> {
    if (typeof options === 'string') throw new TypeError('bytes are not decoded here')
    const given = typeof options === 'object' && options !== null ? options : {}
    return this.read(this.#blob.identity.size, 0, given)
  }

  async stat(): Promise<Stats> {
    return { size: this.#blob.identity.size }
  }

  async close(): Promise<void> {}
}
