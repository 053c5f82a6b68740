import { type FileHandle, open } from 'node:fs/promises'
import { inOrder } from '../concurrency/in-order.ts'
import { EngineError } from '../errors.ts'
import type { PutOptions } from './blob.ts'
import type { ObjectClient } from './object-client.ts'

/** Files up to this size in bytes are sent in one request. It is also the minimum size of a part. */
const MIN_PART_BYTES = 8 << 20
/** Maximum number of parts that are planned. S3 allows 10,000. A file of 5 TB fits. */
const MAX_PARTS = 9_900
/** Number of concurrent requests for parts. AHEAD_BYTES lowers it if parts are large. */
const PARTS_AHEAD = 4
const AHEAD_BYTES = 64 << 20

/**
 * Uploads a local file. If the upload fails or is aborted, its parts are removed, and when the promise rejects
 * the file is no longer in use.
 * @throws EngineError `unavailable`, `conflict` if the file changes during the upload; the signal's reason
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

/** Returns the part size in bytes, a whole number of MiB, so that equal files are divided alike. */
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
