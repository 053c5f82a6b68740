import { createHash } from 'node:crypto'
import { type FileHandle, open, stat } from 'node:fs/promises'
import type { OpenBlob } from '../../../shared/blobs/blob.ts'
import { EngineError } from '../../../shared/errors.ts'
import { unlessAbsent } from '../../../shared/unless-absent.ts'

interface CopyRun {
  /** Path of the copy. If undefined, the bytes are only read. */
  readonly partPath?: string | undefined
  /** Whether to continue after the bytes that an interrupted copy left in the file. */
  readonly resume?: boolean
  readonly buffer: Buffer
  readonly signal?: AbortSignal | undefined
  /** Called with the number of bytes since the last call. */
  readonly onBytes?: ((bytes: number) => void) | undefined
}

export interface Copied {
  /** MD5 in hex. */
  readonly md5: string
  /** SHA-256 in hex. */
  readonly sha256: string
  /** Number of bytes reused from an earlier attempt. */
  readonly resumedBytes: number
}

/** Number of bytes per read and write. */
export const COPY_BYTES = 4 << 20

/**
 * Reads all bytes of a file to compute checksums, and writes them to another file. When the promise resolves,
 * that file is synced to disk. Bytes of an earlier attempt are read for the checksums and not written again.
 * @throws EngineError conflict if the file became shorter, corrupt_source
 */
export async function copyHashed(source: OpenBlob, run: CopyRun): Promise<Copied> {
  const { partPath, resume = false, signal, onBytes } = run
  const { size } = source.identity
  const buffer = run.buffer.subarray(0, Math.max(1, Math.min(size, COPY_BYTES)))
  const sums = new Sums()
  const part = partPath === undefined ? undefined : await openPart(partPath, resume)
  try {
    const resumedBytes = part && resume ? await readBack(part, size, { ...run, buffer, sums }) : 0
    for (let at = resumedBytes; at < size; ) {
      signal?.throwIfAborted()
      const length = await source.read(buffer.subarray(0, size - at), at)
      if (length === 0) {
        throw new EngineError('conflict', 'file became shorter while it was read')
      }
      const bytes = buffer.subarray(0, length)
      sums.update(bytes)
      if (part) await writeFully(part, bytes, at)
      at += length
      onBytes?.(length)
    }
    await part?.sync()
    return { ...sums.digests(), resumedBytes }
  } finally {
    await part?.close()
  }
}

/**
 * Computes two checksums of the same bytes: MD5 for records and manifests, and SHA-256 for integrity checks.
 */
class Sums {
  readonly #md5 = createHash('md5')
  readonly #sha256 = createHash('sha256')

  update(bytes: Uint8Array): void {
    this.#md5.update(bytes)
    this.#sha256.update(bytes)
  }

  digests(): Pick<Copied, 'md5' | 'sha256'> {
    return { md5: this.#md5.digest('hex'), sha256: this.#sha256.digest('hex') }
  }
}

async function openPart(path: string, resume: boolean): Promise<FileHandle> {
  const isThere = resume && (await unlessAbsent(stat(path)))?.isFile()
  return open(path, isThere ? 'r+' : 'w')
}

interface ReadBackRun extends CopyRun {
  readonly sums: Sums
}

/** Hashes the existing part of a copy. If the part is longer than the file, discards it. */
async function readBack(part: FileHandle, size: number, run: ReadBackRun): Promise<number> {
  const { size: there } = await part.stat()
  const end = there > size ? 0 : there
  if (there > size) await part.truncate(0)
  for (let at = 0; at < end; ) {
    run.signal?.throwIfAborted()
    const { bytesRead } = await part.read(run.buffer, 0, Math.min(run.buffer.length, end - at), at)
    if (bytesRead === 0) return at
    run.sums.update(run.buffer.subarray(0, bytesRead))
    at += bytesRead
    run.onBytes?.(bytesRead)
  }
  return end
}

async function writeFully(part: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const left = bytes.length - written
    const { bytesWritten } = await part.write(bytes, written, left, position + written)
    written += bytesWritten
  }
}
