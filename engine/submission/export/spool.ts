import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../../shared/errors.ts'

const BUFFERED_CHARACTERS = 1 << 18
const READ_BYTES = 1 << 18

/**
 * Temporary file without a name, so that nothing is left after a crash. Exports are written to it first, so that
 * a slow client does not keep a database snapshot open.
 */
export class Spool {
  readonly #file: FileHandle
  #text = ''
  #bytes = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /**
   * Creates the temporary file.
   * @throws EngineError `unavailable` if the folder is not writable
   */
  static async open(folder: string): Promise<Spool> {
    const path = join(folder, `export-${randomUUID()}`)
    try {
      const file = await open(path, 'wx+', 0o600)
      await unlink(path)
      return new Spool(file)
    } catch (cause) {
      throw unwritable(cause)
    }
  }

  /**
   * Appends text.
   * @throws EngineError `unavailable` if the disk is full
   */
  async write(text: string): Promise<void> {
    this.#text += text
    if (this.#text.length >= BUFFERED_CHARACTERS) await this.flush()
  }

  /** Writes the buffered text and returns the length of the file in bytes. */
  async flush(): Promise<number> {
    const bytes = Buffer.from(this.#text)
    this.#text = ''
    try {
      await this.#file.appendFile(bytes)
    } catch (cause) {
      throw unwritable(cause)
    }
    this.#bytes += bytes.length
    return this.#bytes
  }

  /** Yields the bytes [start, end). The memory of a chunk is reused for the next chunk. */
  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, end - start))
    for (let at = start; at < end; ) {
      const length = Math.min(buffer.length, end - at)
      const { bytesRead } = await this.#file.read(buffer, 0, length, at)
      if (bytesRead === 0) throw new Error('a spool is shorter than what was written')
      yield buffer.subarray(0, bytesRead)
      at += bytesRead
    }
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

function unwritable(cause: unknown): EngineError {
  const message = 'exports cannot be written now; try again later'
  return new EngineError('unavailable', message, { cause })
}
