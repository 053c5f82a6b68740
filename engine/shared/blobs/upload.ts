import { type FileHandle, open } from 'node:fs/promises'
import { inOrder } from '../concurrency/in-order.ts'
import { EngineError } from '../errors.ts'
import type { PutOptions } from './blob.ts'
import type { ObjectClient } from './object-client.ts'

/** Largest file that is sent in one request, and smallest part of an upload. */
const MIN_PART_BYTES = 8 << 20
/** S3 allows 10,000 parts. At this number a file may have 5 TB. */
const MAX_PARTS = 9_900
/** Parts in flight at a time. AHEAD_BYTES lowers this number for large parts. */
const PARTS_AHEAD = 4
const AHEAD_BYTES = 64 << 20

/**
 * Uploads a local file. If the upload fails or is aborted, its parts are removed and the file is no longer in
 * use when the promise rejects.
 * @throws EngineError `unavailable`, `conflict` if the file changes meanwhile; the signal's reason
 */
export async function uploadFile(
  client: ObjectClient,
  key: string,
  path: string,
  options: PutOptions = {},
): Promise<{ readonly size: number }> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    for (const stale of await client.uploads(key)) {
      await client.abortUpload(key, stale)
    }
    if (size <= MIN_PART_BYTES) {
      await client.put(key, await readPart(file, 0, size), options.signal)
      options.onProgress?.(size)
    } else {
      await uploadParts(client, key, { file, size }, options)
    }
    return { size }
  } finally {
    await file.close()
  }
}

interface Upload {
  readonly file: FileHandle
  readonly size: number
}

async function uploadParts(
  client: ObjectClient,
  key: string,
  { file, size }: Upload,
  { signal, onProgress }: PutOptions,
): Promise<void> {
  const partBytes = partBytesOf(size)
  const ahead = Math.max(1, Math.min(PARTS_AHEAD, Math.floor(AHEAD_BYTES / partBytes)))
  const uploadId = await client.beginUpload(key)
  try {
    let started = 0
    const parts = inOrder(
      (stop) => {
        const start = started * partBytes
        if (start >= size) return undefined
        started++
        const send = async (number: number) => {
          const body = await readPart(file, start, Math.min(partBytes, size - start))
          const tag = await client.putPart({ key, uploadId, number, body, signal: stop })
          onProgress?.(body.length)
          return tag
        }
        return send(started)
      },
      { ahead, signal },
    )
    const tags: string[] = []
    for await (const tag of parts) tags.push(tag)
    await client.completeUpload(key, uploadId, tags)
  } catch (error) {
    await client.abortUpload(key, uploadId).catch(() => {})
    throw error
  }
}

/** Returns the part size in bytes. It is a whole number of MiB, so that a file is always divided alike. */
export function partBytesOf(size: number): number {
  const megabyte = 1 << 20
  return Math.max(MIN_PART_BYTES, Math.ceil(size / MAX_PARTS / megabyte) * megabyte)
}

async function readPart(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length)
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled)
    if (bytesRead === 0) throw new EngineError('conflict', 'file became shorter while it was sent')
    filled += bytesRead
  }
  return buffer
}
