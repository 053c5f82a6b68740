import { randomUUID } from 'node:crypto'
import type { BlobStore } from '../../shared/blobs/blob.ts'
import type { BlobKey } from '../../shared/blobs/blob-key.ts'
import type { Transaction } from '../../shared/database/database.ts'
import type { ArrivingBody, ReceivedBytes } from './receive.ts'
import type { Upload, UploadPart } from './upload-store.ts'

/** Name of the body of an upload without parts. Names of parts begin with their number. */
export const WHOLE = 'whole'

/** Returns a unique name for a part, so that uploading the part again does not overwrite the earlier bytes. */
export function newPartName(number: number): string {
  return `${number}-${randomUUID()}`
}

/** Bytes that have been received. They become part of the upload when the transaction of `keep` is committed. */
export interface ArrivedBytes extends ReceivedBytes {
  /**
   * Records the bytes as received, in the given transaction.
   * @throws EngineError `conflict` if the upload was deleted meanwhile, or if other servers considered this server
   *   dead
   */
  keep(transaction: Transaction): Promise<void>
}

/** An upload whose bytes have been checked and may be stored. */
export interface CheckedUpload extends Pick<Upload, 'id' | 'kind'> {
  readonly size: number
}

/** Where uploads are stored until they are checked: in a folder of this server, or in a bucket. */
export interface UploadBytes {
  /** Returns the name of the storage. Servers that share the storage have the same name for it. */
  place(): Promise<string>
  /**
   * Checks that there is enough free space.
   * @throws EngineError `unavailable` if there is not
   */
  require(bytes: number): Promise<void>
  /**
   * Receives a body. When the promise resolves, the body is durable. If it rejects, the bytes are removed soon.
   * @throws EngineError `unavailable`, `busy`, `too_large`; `bad_input` if the length differs from the
   *   announced one; the error of the body
   */
  receive(uploadId: string, name: string, body: ArrivingBody): Promise<ArrivedBytes>
  /**
   * Checks that parts of these sizes can form one file.
   * @throws EngineError `bad_input` if they cannot
   */
  requireOne(sizes: readonly number[]): void
  /** Returns the size and md5 of the joined parts. After an interruption, it can be called again. */
  check(uploadId: string, parts: readonly UploadPart[], signal: AbortSignal): Promise<ReceivedBytes>
  /** Stores a checked upload under its key, unless already done. Returns the store. */
  store(upload: CheckedUpload, key: BlobKey, signal: AbortSignal): Promise<BlobStore>
  /** Removes the bytes of an upload whose record has been deleted. */
  remove(uploadId: string): Promise<void>
  /** Removes bodies that are no longer needed, such as those that were not recorded as received. */
  removeBodies(uploadId: string, names: readonly string[]): Promise<void>
}
