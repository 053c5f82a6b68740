import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { EngineError } from '../../shared/errors.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import type { ReceivedBytes } from './receive.ts'
import type { UploadFolder } from './upload-folder.ts'
import type { UploadPart } from './upload-store.ts'

/** Bytes read, hashed and written at a time, which blocks the thread for a third of a millisecond. */
const CHUNK_BYTES = 256 << 10
/** Number of bytes to copy before the file is synced and the copied parts are removed. */
const SYNC_BYTES = 64 << 20

/**
 * Joins the parts of an upload into one file. The first part becomes the file; the others are appended and
 * removed, so that at most one part and 64 MiB take disk space twice. After an interruption, another call
 * resumes. When the promise resolves, the file is durable.
 * @param parts parts in order
 * @throws EngineError `corrupt_source` if bytes are missing; the signal's reason; the disk's error
 */
export async function assembleParts(
  folder: UploadFolder,
  uploadId: string,
  parts: readonly UploadPart[],
  signal: AbortSignal,
): Promise<ReceivedBytes> {
  const path = folder.wholePath(uploadId)
  const [first] = parts
  if (first && !(await exists(path))) {
    await rename(folder.partPath(uploadId, first.name), path).catch(missing)
    await folder.sync(uploadId)
  }
  const file = await open(path, 'r+').catch(missing)
  try {
    return await new Assembly(folder, uploadId, file, signal).run(parts)
  } finally {
    await file.close()
  }
}

class Assembly {
  readonly #folder: UploadFolder
  readonly #uploadId: string
  readonly #file: FileHandle
  readonly #signal: AbortSignal
  readonly #hash: Hash = createHash('md5')
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  /** Parts that were copied into the file since the last sync. */
  #copied: UploadPart[] = []
  /** Position in the file up to which it has been joined and hashed. */
  #end = 0

  constructor(folder: UploadFolder, uploadId: string, file: FileHandle, signal: AbortSignal) {
    this.#folder = folder
    this.#uploadId = uploadId
    this.#file = file
    this.#signal = signal
  }

  async run(parts: readonly UploadPart[]): Promise<ReceivedBytes> {
    for (const part of parts) {
      const path = this.#folder.partPath(this.#uploadId, part.name)
      if (await exists(path)) await this.#copy(path, part)
      else await this.#hashOwn(part.size)
      this.#end += part.size
    }
    // Removes bytes after this position, which an interrupted run may have written.
    await this.#file.truncate(this.#end)
    await this.#settle()
    return { size: this.#end, md5: this.#hash.digest('hex') }
  }

  async #copy(path: string, part: UploadPart): Promise<void> {
    const source = await open(path, 'r')
    try {
      await this.#each(source, 0, part.size, async (chunk, at) => {
        for (let written = 0; written < chunk.length; ) {
          const left = chunk.length - written
          const position = this.#end + at + written
          written += (await this.#file.write(chunk, written, left, position)).bytesWritten
        }
      })
    } finally {
      await source.close()
    }
    this.#copied.push(part)
    const bytes = this.#copied.reduce((sum, { size }) => sum + size, 0)
    if (bytes >= SYNC_BYTES) await this.#settle()
  }

  /** Hashes a part that the file already contains: the first part, or one that an interrupted run has copied. */
  async #hashOwn(size: number): Promise<void> {
    await this.#each(this.#file, this.#end, size, async () => {})
  }

  async #each(
    source: FileHandle,
    start: number,
    size: number,
    act: (chunk: Buffer, at: number) => Promise<void>,
  ): Promise<void> {
    for (let at = 0; at < size; ) {
      this.#signal.throwIfAborted()
      const length = Math.min(this.#buffer.length, size - at)
      const { bytesRead } = await source.read(this.#buffer, 0, length, start + at)
      if (bytesRead === 0) throw lost()
      const chunk = this.#buffer.subarray(0, bytesRead)
      this.#hash.update(chunk)
      await act(chunk, at)
      at += bytesRead
    }
  }

  /** Syncs the file, and then removes the parts that were copied into it. */
  async #settle(): Promise<void> {
    await this.#file.sync()
    const gone = this.#copied
    this.#copied = []
    for (const { name } of gone) await this.#folder.removePart(this.#uploadId, name)
  }
}

async function exists(path: string): Promise<boolean> {
  return (await unlessAbsent(stat(path))) !== undefined
}

function missing(cause: unknown): never {
  throw lost(cause)
}

function lost(cause?: unknown): EngineError {
  return new EngineError('corrupt_source', 'bytes of an upload are not where they were put', {
    cause,
  })
}
