import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { quoted } from '../../shared/streams/parquet-file.ts'

/**
 * Maximum size of a spool file in bytes. DuckDB reads up to 2,048 lines of a file into memory at once, but never
 * across files, so short files bound the memory for long lines.
 */
const FILE_BYTES = 1 << 20
/** Minimum line length for DuckDB in bytes. It allocates twice this size for any line. */
const MIN_LINE_BYTES = 1 << 20

/** Writes NDJSON lines to files in a folder, for DuckDB to read in order. */
export class LineSpool implements AsyncDisposable {
  readonly #folder: string
  #file: FileHandle | undefined
  #fileBytes = 0
  #paths: string[] = []
  #longest = MIN_LINE_BYTES
  /** Number of lines written since the last `clear`. */
  rows = 0
  bytes = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  async append(lines: readonly string[]): Promise<void> {
    for (let start = 0; start < lines.length; ) {
      if (!this.#file || this.#fileBytes >= FILE_BYTES) await this.#next()
      const end = this.#fitting(lines, start)
      const text = Buffer.from(lines.slice(start, end).join(''))
      await this.#file?.writeFile(text)
      this.#fileBytes += text.length
      this.bytes += text.length
      start = end
    }
    this.rows += lines.length
  }

  /** Returns the end (exclusive) of the lines that still fit into the current file. */
  #fitting(lines: readonly string[], start: number): number {
    let end = start
    for (let left = FILE_BYTES - this.#fileBytes; end < lines.length && left > 0; end++) {
      const { length } = lines[end] ?? ''
      // A UTF-16 code unit has at most three bytes in UTF-8.
      this.#longest = Math.max(this.#longest, 3 * length)
      left -= length
    }
    return end
  }

  /** Returns the SQL for a DuckDB table over the lines. Column types are DuckDB's names. */
  from(columns: readonly (readonly [name: string, type: string])[]): string {
    const paths = this.#paths.map((path) => quoted(path, "'"))
    const types = columns.map(([name, type]) => `${quoted(name, "'")}: ${quoted(type, "'")}`)
    return (
      `read_json([${paths.join(', ')}], format = 'newline_delimited', records = true, ` +
      `maximum_object_size = ${this.#longest}, columns = {${types.join(', ')}})`
    )
  }

  /** Removes all lines written so far. */
  async clear(): Promise<void> {
    await this[Symbol.asyncDispose]()
    this.#paths = []
    this.rows = 0
    this.bytes = 0
  }

  async #next(): Promise<void> {
    await this[Symbol.asyncDispose]()
    const path = join(this.#folder, `lines-${this.#paths.length}.ndjson`)
    this.#file = await open(path, 'w')
    this.#fileBytes = 0
    this.#paths.push(path)
  }

  /** Closes the current file. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }
}
