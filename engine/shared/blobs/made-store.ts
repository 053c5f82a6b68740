import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { DiskSpace } from '../disk-space.ts'
import { EngineError } from '../errors.ts'
import type { Executor, Job, RunOptions } from '../executor.ts'
import type { BlobStore, OpenBlob, PutOptions, WithSource } from './blob.ts'
import type { BlobKey } from './blob-key.ts'
import type { FolderStore } from './folder-store.ts'
import type { FileIdentity } from './identity.ts'

/**
 * Makes bytes that need not be stored: the same bytes whenever they are asked for, some kilobytes of
 * them within a millisecond or so. `undefined` for a key that it does not know.
 */
export type MakeBytes = (key: BlobKey) => Promise<Uint8Array | undefined>

/** How bytes are made, and the disk that they may be written to. */
export interface Making {
  readonly make: MakeBytes
  readonly space: Pick<DiskSpace, 'require'>
}

/**
 * A folder, and behind it what can be made. What lies in the folder comes first. Made bytes live as
 * long as they are open, and take no disk unless somebody needs their path.
 */
export class MadeStore implements BlobStore {
  readonly kind = 'folder'
  readonly #folder: FolderStore
  readonly #make: MakeBytes
  readonly #space: Making['space']
  /** By path, so that each file is written once. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(folder: FolderStore, { make, space }: Making) {
    this.#folder = folder
    this.#make = make
    this.#space = space
  }

  async open(key: BlobKey): Promise<OpenBlob> {
    try {
      return await this.#folder.open(key)
    } catch (error) {
      const isAbsent = error instanceof EngineError && error.code === 'unavailable'
      const bytes = isAbsent && !(await this.#folder.identity(key)) && (await this.#make(key))
      if (bytes) return new MadeBlob(bytes)
      throw error
    }
  }

  async identity(key: BlobKey): Promise<FileIdentity | undefined> {
    const stored = await this.#folder.identity(key)
    if (stored) return stored
    const bytes = await this.#make(key)
    return bytes && identityOfMade(bytes)
  }

  /**
   * Absolute path of what a key names. What is made is written there first, and is a file like all
   * others from then on.
   * @throws EngineError `bad_input` as blobKey, `unavailable` when it would take of the disk's reserve;
   *   the system's error when it cannot be written
   */
  async path(key: BlobKey): Promise<string> {
    const path = this.#folder.path(key)
    const writing =
      this.#writing.get(path) ?? this.#write(key, path).finally(() => this.#writing.delete(path))
    this.#writing.set(path, writing)
    await writing
    return path
  }

  async #write(key: BlobKey, path: string): Promise<void> {
    if (await this.#folder.identity(key)) return
    const bytes = await this.#make(key)
    if (!bytes) return
    await this.#space.require(bytes.length)
    const part = `${path}.${randomUUID()}.part`
    await mkdir(dirname(path), { recursive: true })
    try {
      await writeFile(part, bytes, { flush: true })
      await this.#folder.take(key, part)
    } finally {
      await rm(part, { force: true })
    }
  }

  take(key: BlobKey, path: string, options?: PutOptions): Promise<void> {
    return this.#folder.take(key, path, options)
  }

  remove(key: BlobKey): Promise<void> {
    return this.#folder.remove(key)
  }

  /** Of what lies in the folder. */
  keys(): AsyncGenerator<BlobKey> {
    return this.#folder.keys()
  }
}

/** A sum is the mark, as that of an object: a time would be that of the request. */
function identityOfMade(bytes: Uint8Array): FileIdentity {
  return { size: bytes.length, modified: '0', inode: `"${crc32(bytes).toString(16)}"` }
}

class MadeBlob implements OpenBlob {
  readonly readBytes: number
  readonly isLocal = true
  readonly identity: FileIdentity
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.identity = identityOfMade(bytes)
    this.readBytes = Math.max(1, bytes.length)
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    const there = this.#bytes.subarray(position, position + into.length)
    into.set(there)
    return there.length
  }

  run<Input, Output>(
    executor: Executor,
    job: Job<Input & WithSource, Output>,
    input: Input,
    options?: RunOptions,
  ): Promise<Output> {
    const pages = new Map([[0, this.#bytes]])
    const source = { size: this.#bytes.length, pageBytes: this.readBytes, pages }
    return executor.run(job, { ...input, source }, options)
  }

  async close(): Promise<void> {}
}
