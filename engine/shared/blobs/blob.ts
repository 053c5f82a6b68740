import type { Executor, Job, RunOptions } from '../executor.ts'
import type { BlobKey } from './blob-key.ts'
import type { FileIdentity } from './identity.ts'
import type { ByteSource } from './source.ts'

/** Kind of storage: a folder on this machine, or S3-compatible object storage. */
export type StorageKind = 'folder' | 's3'

/** Stored bytes, opened for reading. */
export interface OpenBlob {
  readonly identity: FileIdentity
  /** Best number of bytes per read for sequential reading. */
  readonly readBytes: number
  /** Whether the bytes are on this machine, where a read has next to no latency. */
  readonly isLocal: boolean
  /**
   * Reads bytes from `position` on until `into` is full or the bytes end. Returns the number of bytes read.
   * @throws EngineError `corrupt_source` if the disk cannot read, `unavailable` if the storage does not answer
   */
  read(into: Uint8Array, position: number, options?: ReadOptions): Promise<number>
  /**
   * Runs a job that reads these bytes. If they are remote, the bytes that the job needs are fetched first.
   * @throws the errors of the job and of `read`
   */
  run<Input, Output>(
    executor: Executor,
    job: Job<Input & WithSource, Output>,
    input: Input,
    options?: BlobRunOptions,
  ): Promise<Output>
  /** Closes the blob. Reads and jobs must have settled. Further calls do nothing. */
  close(): Promise<void>
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined
}

export interface BlobRunOptions extends RunOptions {
  /** Range that the job will read, if known, so that it can be fetched in one request. */
  readonly reads?: { readonly start: number; readonly end: number } | undefined
}

/** Input of every job that reads a blob. */
export interface WithSource {
  readonly source: ByteSource
}

export interface PutOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with the number of bytes sent since the last call. */
  readonly onProgress?: ((bytes: number) => void) | undefined
}

/** A byte storage. Bytes appear under their key atomically. */
export interface BlobStore {
  readonly kind: StorageKind
  /**
   * Opens the bytes of a key.
   * @throws EngineError `unavailable` if there are none or they cannot be read
   */
  open(key: BlobKey): Promise<OpenBlob>
  /**
   * Returns the identity of the bytes with a key, or `undefined` if there are none.
   * @throws EngineError `unavailable` if the storage does not answer
   */
  identity(key: BlobKey): Promise<FileIdentity | undefined>
  /** Moves a complete local file into the storage. It replaces any bytes with the same key. */
  take(key: BlobKey, path: string, options?: PutOptions): Promise<void>
  /** Removes the bytes with a key and everything derived from them. Does nothing if there are none. */
  remove(key: BlobKey): Promise<void>
  /** Yields all keys in no particular order. */
  keys(): AsyncIterable<BlobKey>
}
