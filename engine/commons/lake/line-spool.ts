import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { quoted } from '../../shared/streams/parquet-file.ts'

/**
 * Of the lines of one file. DuckDB reads up to 2,048 lines into memory at a time, but none of the next file: that
 * bounds what lines of many kilobytes take there.
 */
const FILE_BYTES = 1 << 20
/** DuckDB takes twice as much for a line, whatever its length. */
const MIN_LINE_BYTES = 1 << 20

/** Lines of JSON that lie in a folder for DuckDB, which reads them in their order. */
export class LineSpool implements AsyncDisposable {
  readonly #folder: string
  #file: FileHandle | undefined
  #fileBytes = 0
  #paths: string[] = []
  #longest = MIN_LINE_BYTES
  /** Lines since it was emptied. */
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

  /** Where the lines end that are written to the same file. */
  #fitting(lines: readonly string[], start: number): number {
    let end = start
    for (let left = FILE_BYTES - this.#fileBytes; end < lines.length && left > 0; end++) {
      const { length } = lines[end] ?? ''
      // A character takes three bytes at most.
      this.#longest = Math.max(this.#longest, 3 * length)
      left -= length
    }
    return end
  }

  /** A table of DuckDB with these columns, as it names their types. */
  from(columns: readonly (readonly [name: string, type: string])[]): string {
    const paths = this.#paths.map((path) => quoted(path, "'"))
    const types = columns.map(([name, type]) => `${quoted(name, "'")}: ${quoted(type, "'")}`)
    return (
      `read_json([${paths.join(', ')}], format = 'newline_delimited', records = true, ` +
      `maximum_object_size = ${this.#longest}, columns = {${types.join(', ')}})`
    )
  }

  /** Begins anew; what was written is gone. */
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

  /** Has nothing open any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }
}
