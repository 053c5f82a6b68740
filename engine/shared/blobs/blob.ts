import type { Executor, Job, RunOptions } from '../executor.ts'
import type { BlobKey } from './blob-key.ts'
import type { FileIdentity } from './identity.ts'
import type { ByteSource } from './source.ts'

/** Where bytes are kept: a folder on this machine, or object storage that speaks S3. */
export type StorageKind = 'folder' | 's3'

/** Stored bytes, open for reading. */
export interface OpenBlob {
  readonly identity: FileIdentity
  /** Bytes that one read is best asked for when all is read in order. */
  readonly readBytes: number
  /** Whether the bytes are on this machine: a read then costs next to nothing before its first. */
  readonly isLocal: boolean
  /**
   * Fills as much of `into` as there is from `position` on; returns how many bytes that were.
   * @throws EngineError corrupt_source when the disk cannot read, unavailable when the storage
   *   does not answer
   */
  read(into: Uint8Array, position: number, options?: ReadOptions): Promise<number>
  /**
   * Runs a job that reads these bytes. Where they are not on this machine, what it needs is brought
   * here first.
   * @throws whatever the job throws; as read
   */
  run<Input, Output>(
    executor: Executor,
    job: Job<Input & WithSource, Output>,
    input: Input,
    options?: BlobRunOptions,
  ): Promise<Output>
  /** Again does no harm. Reads and jobs that are under way must have settled. */
  close(): Promise<void>
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined
}

export interface BlobRunOptions extends RunOptions {
  /** What the job will read, if that is known: it is then brought here at once. */
  readonly reads?: { readonly start: number; readonly end: number } | undefined
}

/** What every job that reads a blob is given. */
export interface WithSource {
  readonly source: ByteSource
}

export interface PutOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with the bytes that have been sent since the last call. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/** A place for bytes. What is stored under a key appears at once and whole. */
export interface BlobStore {
  readonly kind: StorageKind
  /** @throws EngineError unavailable when there is nothing under the key or it cannot be read */
  open(key: BlobKey): Promise<OpenBlob>
  /**
   * What is stored under the key now; `undefined` when that is nothing.
   * @throws EngineError unavailable when it is not known
   */
  identity(key: BlobKey): Promise<FileIdentity | undefined>
  /**
   * Takes over a complete file of this machine; it is gone afterwards. What was stored under the
   * key before is replaced.
   */
  take(key: BlobKey, path: string, options?: PutOptions): Promise<void>
  /** Removes what is stored under a key and whatever was made of it; nothing there is no error. */
  remove(key: BlobKey): Promise<void>
  /** All keys, in any order. */
  keys(): AsyncIterable<BlobKey>
}
