import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../../shared/errors.ts'

const BUFFERED_CHARACTERS = 1 << 18
const READ_BYTES = 1 << 18

/**
 * A file of texts that has no name, so that nothing is left of it whatever becomes of the process.
 * What is exported is as of one moment, and who takes it may take his time.
 */
export class Spool {
  readonly #file: FileHandle
  #text = ''
  #bytes = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** @throws EngineError `unavailable` when the folder cannot be written */
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

  /** @throws EngineError `unavailable` when the disk takes no more */
  async write(text: string): Promise<void> {
    this.#text += text
    if (this.#text.length >= BUFFERED_CHARACTERS) await this.flush()
  }

  /** How long it is, once all of it is written. */
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

  /** Bytes from one place to another. A chunk's memory is used again for the next one. */
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
