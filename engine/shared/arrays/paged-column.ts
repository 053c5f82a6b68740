import { readSync } from 'node:fs'
import {
  type ArraySchema,
  chosenBy,
  damagedArrays,
  type ElementKind,
  KINDS,
  type NumberArray,
  type Optional,
} from './array-schema.ts'

/** Number of rows to read at a time, which are at most 32 KiB. */
export const PAGE_ROWS = 4096
/** Pages of a column that are kept. A binary search of 20,000,000 rows touches about as many. */
const KEPT_PAGES = 16

/** Numbers by row, in memory or in a file. */
export interface NumberColumn {
  readonly length: number
  at(row: number): number | undefined
}

/** A column of numbers, in memory or in a file. Both kinds are a NumberColumn. */
export type PageableColumn = NumberArray | PagedColumn

/** Columns of a file with this schema. */
export type ColumnsOf<Schema extends ArraySchema> = {
  readonly [Name in keyof Schema as Exclude<Name, Optional<Schema, Name>>]: PageableColumn
} & {
  readonly [Name in keyof Schema as Optional<Schema, Name>]?: PageableColumn
}

/** Place of a column's rows in an open file. */
interface PagedRows {
  /** Descriptor of the file. Its owner closes it when the column is no longer used. */
  readonly descriptor: number
  readonly kind: ElementKind
  readonly length: number
  /** Returns the file offset of a page. */
  readonly placeOf: (page: number) => number
}

/**
 * A column whose rows stay in a file. They are read by pages, so that memory does not grow with the length of
 * the column. A read of a page, at most 32 KiB, blocks until the disk answers.
 */
export class PagedColumn {
  readonly kind: ElementKind
  readonly length: number
  readonly #descriptor: number
  readonly #placeOf: (page: number) => number
  /** Pages by number, least recently used first. */
  readonly #pages = new Map<number, NumberArray>()
  #first = 0
  #current: NumberArray

  constructor({ descriptor, kind, length, placeOf }: PagedRows) {
    this.kind = kind
    this.length = length
    this.#descriptor = descriptor
    this.#placeOf = placeOf
    this.#current = new KINDS[kind](0)
  }

  /** Maximum number of bytes that the column keeps in memory. */
  get memory(): number {
    return KEPT_PAGES * PAGE_ROWS * this.#current.BYTES_PER_ELEMENT
  }

  get byteLength(): number {
    return this.length * this.#current.BYTES_PER_ELEMENT
  }

  /**
   * Returns the number in a row. Negative rows count from the end. Returns undefined if there is no such row.
   * @throws EngineError corrupt_source if the file has become shorter
   */
  at(row: number): number | undefined {
    const wanted = row < 0 ? row + this.length : row
    if (wanted < 0 || wanted >= this.length) return undefined
    const inPage = wanted - this.#first
    if (inPage >= 0 && inPage < this.#current.length) return this.#current[inPage]
    const page = Math.floor(wanted / PAGE_ROWS)
    this.#current = this.#page(page)
    this.#first = page * PAGE_ROWS
    return this.#current[wanted - this.#first]
  }

  /** Yields the bytes of all rows in order. Each part is valid until the next part is requested. */
  *parts(): Generator<Uint8Array> {
    for (let page = 0; page * PAGE_ROWS < this.length; page++) {
      const { buffer, byteOffset, byteLength } = this.#read(page)
      yield new Uint8Array(buffer, byteOffset, byteLength)
    }
  }

  #page(number: number): NumberArray {
    const kept = this.#pages.get(number)
    const page = kept ?? this.#read(number)
    if (kept) this.#pages.delete(number)
    this.#pages.set(number, page)
    const [oldest = number] = this.#pages.keys()
    if (this.#pages.size > KEPT_PAGES) this.#pages.delete(oldest)
    return page
  }

  #read(page: number): NumberArray {
    const rows = new KINDS[this.kind](Math.min(PAGE_ROWS, this.length - page * PAGE_ROWS))
    const bytes = new Uint8Array(rows.buffer)
    const place = this.#placeOf(page)
    for (let filled = 0; filled < bytes.length; ) {
      const left = bytes.length - filled
      const count = readSync(this.#descriptor, bytes, filled, left, place + filled)
      if (count === 0) throw damagedArrays('it became shorter while it was open')
      filled += count
    }
    return rows
  }
}

/**
 * Returns the columns that the schema names.
 * @throws EngineError corrupt_source if one is missing or of another kind
 */
export function columnsOf<Schema extends ArraySchema>(
  columns: Readonly<Record<string, PagedColumn>>,
  schema: Schema,
): ColumnsOf<Schema> {
  // All names and kinds are checked.
  return chosenBy(schema, columns, ({ kind }) => kind) as ColumnsOf<Schema>
}

/** Returns the greatest number of bytes that a column keeps in memory. */
export const columnMemory = (column: PageableColumn): number =>
  column instanceof PagedColumn ? column.memory : column.byteLength
