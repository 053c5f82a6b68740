import { type FileHandle, open } from 'node:fs/promises'
import { TextBytes } from './text-bytes.ts'

const CHUNK_BYTES = 1 << 20
/** Initial size of a buffer. Each dataset has a writer, and most writers of a small release stay nearly empty. */
const FIRST_BYTES = 1 << 14

/** Writes lines of text to a new or emptied file. */
export class LineWriter {
  readonly path: string
  readonly #file: FileHandle
  readonly #pending = new TextBytes(FIRST_BYTES)
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
   * Adds a line in parts. If the buffer is full, returns a promise that resolves when it has been written. Add
   * nothing before that.
   */
  add(...parts: readonly (string | Uint8Array)[]): Promise<void> | undefined {
    for (const part of parts) this.#pending.add(part)
    this.#pending.add('\n')
    this.#lines++
    return this.#pending.length >= CHUNK_BYTES ? this.#flush() : undefined
  }

  async close(): Promise<void> {
    try {
      await this.#flush()
    } finally {
      await this.#file.close()
    }
  }

  async #flush(): Promise<void> {
    await this.#file.writeFile(this.#pending.bytes)
    this.#pending.clear()
  }
}
