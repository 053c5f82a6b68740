import { type FileHandle, open } from 'node:fs/promises'

const CHUNK_BYTES = 1 << 20

/** Writes lines of text to a new or emptied file. */
export class LineWriter {
  readonly path: string
  readonly #file: FileHandle
  #pending: string[] = []
  #pendingLength = 0
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

  /** Adds a line. Returns a promise only if the buffer is full and must be written first. */
  add(line: string): Promise<void> | undefined {
    this.#pending.push(line, '\n')
    this.#pendingLength += line.length
    this.#lines++
    return this.#pendingLength >= CHUNK_BYTES ? this.#flush() : undefined
  }

  async close(): Promise<void> {
    try {
      await this.#flush()
    } finally {
      await this.#file.close()
    }
  }

  async #flush(): Promise<void> {
    const text = this.#pending.join('')
    this.#pending = []
    this.#pendingLength = 0
    await this.#file.writeFile(text)
  }
}
