import { type FileHandle, open, rm } from 'node:fs/promises'
import { type ElementKind, KINDS, type NumberArray } from './array-schema.ts'
import { PAGE_ROWS, type PageableColumn, PagedColumn } from './paged-column.ts'

/** When the columns in memory reach this size in bytes, they are moved to the file. */
const MOVED_BYTES = 32 << 20

/** A file for pages of columns that are being built. It has no name, so that nothing is left after a crash. */
export class ScratchFile {
  /** When the columns in memory reach this size in bytes, they are moved to the file. */
  readonly movedBytes: number
  readonly #path: string
  #file: FileHandle | undefined
  #length = 0

  /** @param path where the file is made when it is first written; nothing may be there */
  constructor(path: string, movedBytes = MOVED_BYTES) {
    this.#path = path
    this.movedBytes = movedBytes
  }

  /** Writes a page at the end and returns its file offset. */
  async append(rows: NumberArray): Promise<number> {
    const file = await this.#opened()
    const place = this.#length
    const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength)
    for (let written = 0; written < bytes.length; ) {
      const left = bytes.length - written
      written += (await file.write(bytes, written, left, place + written)).bytesWritten
    }
    this.#length += bytes.length
    return place
  }

  async descriptor(): Promise<number> {
    return (await this.#opened()).fd
  }

  async #opened(): Promise<FileHandle> {
    if (this.#file) return this.#file
    this.#file = await open(this.#path, 'w+')
    await rm(this.#path)
    return this.#file
  }

  /** Frees the file. Columns in it must not be used afterwards. Repeated calls do nothing. */
  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }
}

/** Builds a column of unknown length, in pages that may be moved to a file. */
export class ColumnBuilder {
  readonly #kind: ElementKind
  /** Full pages in memory. They come after the pages in the file. */
  #full: NumberArray[] = []
  /** File offsets of the pages that were moved. */
  readonly #places: number[] = []
  #page: NumberArray
  #used = 0
  length = 0

  constructor(kind: ElementKind) {
    this.#kind = kind
    this.#page = new KINDS[kind](PAGE_ROWS)
  }

  /** Bytes of full pages in memory. */
  get fullBytes(): number {
    return this.#full.length * this.#page.byteLength
  }

  append(rows: NumberArray): void {
    this.length += rows.length
    for (let from = 0; from < rows.length; ) {
      if (this.#used === PAGE_ROWS) {
        this.#full.push(this.#page)
        this.#page = new KINDS[this.#kind](PAGE_ROWS)
        this.#used = 0
      }
      const part = rows.subarray(from, from + PAGE_ROWS - this.#used)
      this.#page.set(part, this.#used)
      this.#used += part.length
      from += part.length
    }
  }

  /** Moves the full pages to a file. */
  async moveTo(file: ScratchFile): Promise<void> {
    for (const page of this.#full) this.#places.push(await file.append(page))
    this.#full = []
  }

  /**
   * Returns the column: an array or, if pages were moved to the file, a column in the file.
   * @param file file that was passed to moveTo
   */
  async finish(file: ScratchFile | undefined): Promise<PageableColumn> {
    this.#full.push(this.#page.subarray(0, this.#used))
    if (!file || this.#places.length === 0) return joined(this.#kind, this.#full, this.length)
    await this.moveTo(file)
    const places = Float64Array.from(this.#places)
    return new PagedColumn({
      descriptor: await file.descriptor(),
      kind: this.#kind,
      length: this.length,
      placeOf: (page) => places[page]!,
    })
  }
}

function joined(kind: ElementKind, pages: readonly NumberArray[], length: number): NumberArray {
  const all = new KINDS[kind](length)
  let at = 0
  for (const page of pages) {
    all.set(page, at)
    at += page.length
  }
  return all
}
