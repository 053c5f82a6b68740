import { randomUUID } from 'node:crypto'
import type { BlobStore } from '../../shared/blobs/blob.ts'
import type { BlobKey } from '../../shared/blobs/blob-key.ts'
import type { Transaction } from '../../shared/database/database.ts'
import type { ArrivingBody, ReceivedBytes } from './receive.ts'
import type { Upload, UploadPart } from './upload-store.ts'

/** Name of the only body of an upload. Names of parts start with their number instead. */
export const WHOLE = 'whole'

/** Returns a unique name for a part, so that sending it again does not overwrite the first one. */
export function newPartName(number: number): string {
  return `${number}-${randomUUID()}`
}

/** Received bytes. They count once `keep` is committed. */
export interface ArrivedBytes extends ReceivedBytes {
  /**
   * Records the bytes in the transaction that makes them count.
   * @throws EngineError `conflict` if this server seemed dead meanwhile
   */
  keep(transaction: Transaction): Promise<void>
}

/** An upload that is checked and may be stored. */
export interface CheckedUpload extends Pick<Upload, 'id' | 'kind'> {
  readonly size: number
}

/** Storage of uploads until they are checked: a folder of this server, or a bucket. */
export interface UploadBytes {
  /** Returns the name of the storage. Servers with the same name share it. */
  place(): Promise<string>
  /**
   * Checks that there is space.
   * @throws EngineError `unavailable`
   */
  require(bytes: number): Promise<void>
  /**
   * Receives a body. It is durable when this resolves. If it rejects, the bytes are removed soon.
   * @throws EngineError `unavailable`, `busy`, `too_large`; `bad_input` if the length differs from the
   * announced one; the error of the body
   */
  receive(uploadId: string, name: string, body: ArrivingBody): Promise<ArrivedBytes>
  /**
   * Checks that parts of these sizes can form one file.
   * @throws EngineError `bad_input`
   */
  requireOne(sizes: readonly number[]): void
  /** Returns size and md5 of the joined parts. Can be interrupted and repeated. */
  check(uploadId: string, parts: readonly UploadPart[], signal: AbortSignal): Promise<ReceivedBytes>
  /** Stores a checked upload under its key, unless that was done before. Returns the store. */
  store(upload: CheckedUpload, key: BlobKey, signal: AbortSignal): Promise<BlobStore>
  /** Removes the bytes of an upload that is no longer recorded. */
  remove(uploadId: string): Promise<void>
  /** Removes bodies that do not count. */
  removeBodies(uploadId: string, names: readonly string[]): Promise<void>
}
