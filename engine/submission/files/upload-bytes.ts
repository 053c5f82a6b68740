import { randomUUID } from 'node:crypto'
import type { BlobStore } from '../../shared/blobs/blob.ts'
import type { BlobKey } from '../../shared/blobs/blob-key.ts'
import type { Transaction } from '../../shared/database/database.ts'
import type { ArrivingBody, ReceivedBytes } from './receive.ts'
import type { Upload, UploadPart } from './upload-store.ts'

/** The name of a body in one piece; those of parts begin with their number. */
export const WHOLE = 'whole'

/** A name of its own for a part: one that comes again does not touch the one before. */
export function newPartName(number: number): string {
  return `${number}-${randomUUID()}`
}

/** Bytes that are where they will be found, and count as soon as that is kept. */
export interface ArrivedBytes extends ReceivedBytes {
  /**
   * In the transaction by which they count.
   * @throws EngineError `conflict` when this server was taken for dead meanwhile
   */
  keep(transaction: Transaction): Promise<void>
}

/** What is checked and may be stored. */
export interface CheckedUpload extends Pick<Upload, 'id' | 'kind'> {
  readonly size: number
}

/** Where the bytes of uploads lie until they are checked: in a folder of this server, or in a bucket. */
export interface UploadBytes {
  /** Whoever has a place of this name gets at what lies there. */
  place(): Promise<string>
  /** @throws EngineError `unavailable` without room for so many bytes */
  require(bytes: number): Promise<void>
  /**
   * Takes a body, which survives a kill once this resolves. When it rejects, nothing of it stays but
   * for a while.
   * @throws EngineError `unavailable`, `busy`; `bad_input` when there are not as many bytes as announced,
   *   `too_large`; whatever the body ends with
   */
  receive(uploadId: string, name: string, body: ArrivingBody): Promise<ArrivedBytes>
  /** @throws EngineError `bad_input` when parts of these sizes cannot become one file */
  requireOne(sizes: readonly number[]): void
  /** What parts in their order come to; may be broken off and done again. */
  check(uploadId: string, parts: readonly UploadPart[], signal: AbortSignal): Promise<ReceivedBytes>
  /** Has what was checked stored under its key, unless that was done before; returns the store. */
  store(upload: CheckedUpload, key: BlobKey, signal: AbortSignal): Promise<BlobStore>
  /** Removes what there is of an upload that is known no more. */
  remove(uploadId: string): Promise<void>
  /** Removes bodies that do not count. */
  removeBodies(uploadId: string, names: readonly string[]): Promise<void>
}
