import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { unlessAbsent } from '../../engine/shared/internal.ts'
import { Broken } from './errors.ts'
import { type Extent, Extents } from './extents.ts'
import { areSameBytes, type Facts } from './facts.ts'

/** Number of bytes to collect before writing them. */
const WRITE_BYTES = 1 << 20
/** Number of bytes after which progress is saved, so that little has to be fetched again after a crash. */
const SAVE_BYTES = 4 << 20

type Subject = Pick<Facts, 'size' | 'md5' | 'etag'>

/**
 * An incomplete file. Its bytes are at their offsets in `<path>.part`, and `<path>.part.json` lists those that
 * are present. The list never includes bytes that are not written yet.
 */
export class PartFile {
  readonly path: string
  readonly #handle: FileHandle
  #present: Extents
  readonly #subject: Subject
  #unsaved = 0
  #saving: Promise<void> = Promise.resolve()

  private constructor(path: string, handle: FileHandle, subject: Subject, there: Extents) {
    this.path = path
    this.#handle = handle
    this.#subject = subject
    this.#present = there
  }

  /** Resumes an existing partial file if it certainly has the same bytes. Otherwise starts from the beginning. */
  static async open(path: string, subject: Subject): Promise<PartFile> {
    await mkdir(dirname(path), { recursive: true })
    const progress = await readProgress(path)
    if (progress && areSameBytes(progress, subject)) {
      const handle = await unlessAbsent(open(partPath(path), 'r+'))
      const there = new Extents(progress.there)
      const end = there.list.at(-1)?.[1] ?? 0
      if (handle && (await handle.stat()).size >= end && end <= (subject.size ?? 0)) {
        return new PartFile(path, handle, subject, there)
      }
      await handle?.close()
    }
    await rm(progressPath(path), { force: true })
    return new PartFile(path, await open(partPath(path), 'w+'), subject, new Extents())
  }

  /** Number of bytes present. */
  get bytes(): number {
    return this.#present.total
  }

  gaps(size: number, most: number): Extent[] {
    return this.#present.gaps(size, most)
  }

  /** Discards all bytes and starts from the beginning in the same file. */
  async reset(): Promise<void> {
    this.#present = new Extents()
    await this.#handle.truncate(0)
  }

  /**
   * Writes bytes at their offsets up to `end`, as fast as the disk allows. Bytes written before a failure are
   * kept.
   * @returns the offset at which the bytes ended
   */
  async write(
    body: AsyncIterable<Buffer>,
    [start, end]: Extent,
    onBytes: (count: number) => void,
  ): Promise<number> {
    // Chunks are collected in one buffer, so that they can be freed at once and writes are larger.
    const buffer = Buffer.allocUnsafe(Math.min(WRITE_BYTES, end - start))
    let position = start
    let length = 0
    const flush = async () => {
      if (length === 0) return
      await writeAll(this.#handle, buffer.subarray(0, length), position)
      this.#present.add([position, position + length])
      position += length
      this.#unsaved += length
      onBytes(length)
      length = 0
      if (this.#unsaved >= SAVE_BYTES) await this.saveProgress()
    }
    try {
      for await (const chunk of body) {
        if (position + length + chunk.length > end)
          throw new Broken('the server sent more bytes than requested')
        for (let taken = 0; taken < chunk.length; ) {
          const count = chunk.copy(buffer, length, taken)
          taken += count
          length += count
          if (length === buffer.length) await flush()
        }
      }
    } finally {
      await flush()
    }
    return position
  }

  /** Saves the list of present bytes. */
  saveProgress(): Promise<void> {
    this.#unsaved = 0
    // Saves run one after the other. Each writes the list as it is when the save starts.
    this.#saving = this.#saving.then(async () => {
      const text = JSON.stringify({ ...this.#subject, there: this.#present.list })
      await writeFile(`${this.path}.part.next`, text)
      await rename(`${this.path}.part.next`, progressPath(this.path))
    })
    return this.#saving
  }

  /** Returns the md5 of all bytes in lower-case hex. */
  async digest(signal: AbortSignal): Promise<string> {
    return digestOf(this.#handle, signal)
  }

  /** Gives the complete file its name. It is not synced to disk: if it is lost, the next run notices. */
  async finish(): Promise<void> {
    await rename(partPath(this.path), this.path)
    await rm(progressPath(this.path), { force: true })
  }

  /** Deletes the partial file. */
  async discard(): Promise<void> {
    await this.#saving
    await rm(progressPath(this.path), { force: true })
    await rm(partPath(this.path), { force: true })
  }

  async close(): Promise<void> {
    await this.#saving.catch(() => {})
    await this.#handle.close()
  }
}

/** Returns the md5 of a file, using a single buffer. */
export async function digestOf(handle: FileHandle, signal: AbortSignal): Promise<string> {
  const hash = createHash('md5')
  const buffer = Buffer.allocUnsafe(WRITE_BYTES)
  for (let position = 0; ; ) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(buffer.subarray(0, bytesRead))
    position += bytesRead
  }
}

export const partPath = (path: string): string => `${path}.part`
const progressPath = (path: string): string => `${path}.part.json`

interface Progress extends Subject {
  readonly there: readonly Extent[]
}

/** Reads the list beside a file. Returns undefined if there is no list or it is invalid. */
async function readProgress(path: string): Promise<Progress | undefined> {
  const text = await unlessAbsent(readFile(progressPath(path), 'utf8'))
  if (text === undefined) return undefined
  try {
    const progress: unknown = JSON.parse(text)
    return isProgress(progress) ? progress : undefined
  } catch {
    return undefined
  }
}

function isProgress(value: unknown): value is Progress {
  if (typeof value !== 'object' || value === null || !('there' in value)) return false
  const { there } = value
  const isExtent = (each: unknown) =>
    Array.isArray(each) && each.length === 2 && each.every((n) => Number.isSafeInteger(n) && n >= 0)
  return Array.isArray(there) && there.every(isExtent)
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(
      ...([bytes, done, bytes.length - done, position + done] as const),
    )
    done += bytesWritten
  }
}
