import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { descriptorShortage } from '../../shared/descriptors.ts'
import { type DiskSpace, diskFull, isDiskFull } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'

export interface ReceivedBytes {
  readonly size: number
  /** md5 in hex. */
  readonly md5: string
}

/** A request body that is being received. */
export interface ArrivingBody {
  readonly chunks: AsyncIterable<Uint8Array>
  /** Announced length in bytes (Content-Length), if any. */
  readonly announced?: number | undefined
}

/** Number of received bytes after which the free disk space is checked again. */
const LOOK_BYTES = 1 << 20

/**
 * Writes a request body to a file and closes the file. When the promise resolves, the bytes are durable. Reads
 * only as fast as the disk writes, which slows the client down.
 * @throws EngineError `unavailable` if the disk is full except for its reserve, `bad_input` if the length
 *   differs from the announced one; the error of the body
 */
export async function receiveBody(
  file: FileHandle,
  { chunks, announced }: ArrivingBody,
  space: Pick<DiskSpace, 'require'>,
): Promise<ReceivedBytes> {
  const hash = createHash('md5')
  let size = 0
  let looked = 0
  try {
    for await (const chunk of chunks) {
      if (size + chunk.length - looked > LOOK_BYTES) {
        await space.require(chunk.length)
        looked = size
      }
      hash.update(chunk)
      await onDisk(() => writeFully(file, chunk, size))
      size += chunk.length
    }
    requireAnnounced(size, announced)
    await onDisk(() => file.sync())
  } finally {
    await file.close()
  }
  return { size, md5: hash.digest('hex') }
}

/**
 * Throws if the length of a body differs from the announced one.
 * @throws EngineError `bad_input`
 */
export function requireAnnounced(size: number, announced: number | undefined): void {
  if (announced === undefined || announced === size) return
  const message = `the body has ${size} bytes instead of the ${announced} that were announced`
  throw new EngineError('bad_input', message)
}

async function writeFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const left = bytes.length - written
    const { bytesWritten } = await file.write(bytes, written, left, position + written)
    written += bytesWritten
  }
}

/**
 * Runs an operation on disk, and converts its errors.
 * @throws EngineError `unavailable` if the disk is full or fails; `busy` if there are too many open files
 */
export async function onDisk<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (cause) {
    const shortage = descriptorShortage(cause)
    if (shortage) throw shortage
    if (isDiskFull(cause)) throw diskFull('the upload', cause)
    const message = 'the upload cannot be written to the disk of the service'
    throw new EngineError('unavailable', message, { cause })
  }
}
