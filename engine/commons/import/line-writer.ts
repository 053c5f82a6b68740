import { type FileHandle, open } from 'node:fs/promises'
import { writeText } from './spool.ts'

const CHUNK_BYTES = 1 << 20
const LF = 0x0a

/** Writes lines of text to a new or emptied file. */
export class LineWriter {
  readonly path: string
  readonly #file: FileHandle
  #buffer = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES)
  #filled = 0
  #lines = 0

  private constructor(path: string, file: FileHandle) {
    this.path = path
    this.#file = file
  }

  static async create(path: string): Promise<LineWriter> {
    return new LineWriter(path, await open(path, 'w'))
  }

  get lines(): number {
    return this.#lines
  }

  /**
   * Adds a line. Returns a promise only if the buffer is full and must be written first; nothing may be added
   * until it resolves.
   */
  add(line: string): Promise<void> | undefined {
    // A UTF-16 unit takes at most three bytes. Counting them only pays for a line that may not fit.
    const bytes = line.length < CHUNK_BYTES / 3 ? line.length * 3 : Buffer.byteLength(line)
    this.#reserve(bytes + 1)
    this.#filled += writeText(this.#buffer, line, this.#filled)
    this.#buffer[this.#filled++] = LF
    this.#lines++
    return this.#filled >= CHUNK_BYTES ? this.#flush() : undefined
  }

  async close(): Promise<void> {
    try {
      await this.#flush()
    } finally {
      await this.#file.close()
    }
  }

  #reserve(bytes: number): void {
    if (this.#filled + bytes <= this.#buffer.length) return
    const grown = Buffer.allocUnsafeSlow(this.#filled + bytes)
    grown.set(this.#buffer.subarray(0, this.#filled))
    this.#buffer = grown
  }

  async #flush(): Promise<void> {
    await this.#file.writeFile(this.#buffer.subarray(0, this.#filled))
    this.#filled = 0
  }
}
