import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { EngineError } from '../errors.ts'

export interface ReceivedBytes {
  readonly size: number
  /** Hex. */
  readonly md5: string
}

/** A body as it arrives. */
export interface ArrivingBody {
  readonly chunks: AsyncIterable<Uint8Array>
  /** As many as were announced, where that was done. */
  readonly announced?: number | undefined
}

/**
 * Writes a body to a file, which is closed afterwards; its bytes are on the disk when this resolves.
 * Nothing more is taken from the body than was written: whoever sends waits for the disk.
 * @throws EngineError `unavailable` when the disk takes no more, `bad_input` when there are not as
 *   many bytes as announced; whatever the body ends with
 */
export async function receiveBody(
  file: FileHandle,
  { chunks, announced }: ArrivingBody,
): Promise<ReceivedBytes> {
  const hash = createHash('md5')
  let size = 0
  try {
    for await (const chunk of chunks) {
      hash.update(chunk)
      await onDisk(() => writeFully(file, chunk, size))
      size += chunk.length
    }
    if (announced !== undefined && announced !== size) {
      const message = `the body has ${size} bytes instead of the ${announced} that were announced`
      throw new EngineError('bad_input', message)
    }
    await onDisk(() => file.sync())
  } finally {
    await file.close()
  }
  return { size, md5: hash.digest('hex') }
}

async function writeFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const left = bytes.length - written
    const { bytesWritten } = await file.write(bytes, written, left, position + written)
    written += bytesWritten
  }
}

/** What the disk refuses, in words. @throws EngineError `unavailable` */
export async function onDisk<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (cause) {
    const isFull = (cause as NodeJS.ErrnoException).code === 'ENOSPC'
    const message = isFull
      ? 'the disk of the service is full, and nothing of the upload was kept'
      : 'the disk of the service cannot be written, and nothing of the upload was kept'
    throw new EngineError('unavailable', message, { cause })
  }
}
