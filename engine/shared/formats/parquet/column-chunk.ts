import { constants, zstdCompressSync } from 'node:zlib'
import { ByteSink } from '../byte-sink.ts'
import { widthOf, writeHybrid } from './hybrid.ts'
import { ENCODINGS, PAGES } from './numbers.ts'
import { writeStruct } from './thrift.ts'

export type ParquetType = 'text' | 'boolean' | 'integer' | 'double'

/** Values that codes stand for. Different codes have different values. */
export interface CodedValues {
  /** The largest code. */
  readonly most: number
  /**
   * Appends the values of codes as PLAIN pages have them: texts with four bytes of their length in front. Stops and
   * returns false before they take more bytes than `most`.
   */
  write(codes: Uint32Array, sink: ByteSink, most: number): boolean
}

/** A column of some rows. */
export interface CodedColumn {
  readonly type: ParquetType
  /** Code of each row's value. 0 is null. For `boolean`, 1 is false and 2 is true. */
  readonly codes: Uint32Array
  /** Not needed for `boolean`. */
  readonly values: CodedValues | undefined
}

/** Facts of a column chunk for the footer. Sizes are in bytes, with page headers. */
export interface ChunkFacts {
  readonly compressed: number
  readonly uncompressed: number
  /** Size of the dictionary page, or 0 if there is none. */
  readonly dictionary: number
  readonly nulls: number
  /** Least and greatest value as a PLAIN page has them, without a length. Undefined without values or if one is long. */
  readonly range: readonly [least: Uint8Array, greatest: Uint8Array] | undefined
}

/** Texts with more bytes are not in the statistics. */
const MAX_STATISTIC = 256
/** Pages up to this size are stored, because compressing one takes 20 us. */
const MAX_STORED = 255
const LENGTH_BYTES = 4

/** Writes column chunks, with memory that is used again for each of them. */
export class ColumnChunks {
  readonly #page = new ByteSink(Buffer.allocUnsafeSlow(1 << 16))
  readonly #values = new ByteSink(Buffer.allocUnsafeSlow(1 << 16))
  /** Place of each code among the values that were seen, plus 1. */
  #places = new Uint32Array(0)
  #indices = new Uint32Array(0)
  #seen = new Uint32Array(0)

  /** Size of the memory in bytes. */
  get bytes(): number {
    const arrays = [this.#places, this.#indices, this.#seen]
    const sinks = [this.#page, this.#values]
    const ofArrays = arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
    return sinks.reduce((sum, { view }) => sum + view.byteLength, ofArrays)
  }

  /**
   * Appends a column as a column chunk: a dictionary page if that saves space, and one data page. Equal values give
   * equal bytes, whatever their codes are. Returns undefined, having appended nothing, if the values take more bytes
   * than `most`.
   */
  write(
    column: CodedColumn,
    sink: ByteSink,
    most = Number.POSITIVE_INFINITY,
  ): ChunkFacts | undefined {
    const { type, codes, values } = column
    const start = sink.length
    const page = this.#page
    page.cutTo(0)
    const nulls = this.#levels(codes)
    const present = codes.length - nulls
    let uncompressed = 0
    let dictionary = 0
    let range: ChunkFacts['range']
    let encoding: number = ENCODINGS.plain
    if (type === 'boolean') range = this.#booleans(codes)
    else if (present > 0 && values) {
      const distinct = this.#distinct(codes, values.most)
      const isShared = 2 * distinct <= present
      const plain = this.#values
      plain.cutTo(0)
      if (!values.write(this.#seen.subarray(0, distinct), plain, most)) return undefined
      if (isShared) {
        encoding = ENCODINGS.dictionary
        range = rangeOf(type, plain)
        uncompressed += writePage(sink, plain.written, { count: distinct, encoding: undefined })
        dictionary = sink.length - start
        const width = widthOf(distinct - 1)
        page.byte(width)
        writeHybrid(page, this.#indices, { count: present, width })
      } else {
        if (distinct < present) {
          plain.cutTo(0)
          if (!values.write(this.#present(codes, present), plain, most)) return undefined
        }
        range = rangeOf(type, plain)
        page.bytes(plain.written)
      }
    }
    uncompressed += writePage(sink, page.written, { count: codes.length, encoding })
    return { compressed: sink.length - start, uncompressed, dictionary, nulls, range }
  }

  /** Writes which rows have a value. Returns the number of those that have none. */
  #levels(codes: Uint32Array): number {
    const levels = this.#sized(codes.length)
    let present = 0
    for (let i = 0; i < codes.length; i++) {
      const level = codes[i] === 0 ? 0 : 1
      levels[i] = level
      present += level
    }
    const page = this.#page
    const at = page.skip(LENGTH_BYTES)
    writeHybrid(page, levels, { count: codes.length, width: 1 })
    page.view.setUint32(at, page.length - at - LENGTH_BYTES, true)
    return codes.length - present
  }

  /** Numbers the values in the order in which they appear. Returns how many there are. */
  #distinct(codes: Uint32Array, most: number): number {
    if (this.#places.length <= most) this.#places = new Uint32Array(most + 1)
    const indices = this.#sized(codes.length)
    const [places, seen] = [this.#places, this.#seen]
    let present = 0
    let distinct = 0
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i]!
      if (code === 0) continue
      let place = places[code]!
      if (place === 0) {
        seen[distinct++] = code
        place = distinct
        places[code] = place
      }
      indices[present++] = place - 1
    }
    for (let i = 0; i < distinct; i++) places[seen[i]!] = 0
    return distinct
  }

  #present(codes: Uint32Array, count: number): Uint32Array {
    const present = this.#indices
    let at = 0
    for (let i = 0; i < codes.length; i++) if (codes[i] !== 0) present[at++] = codes[i]!
    return present.subarray(0, count)
  }

  #booleans(codes: Uint32Array): ChunkFacts['range'] {
    const page = this.#page
    let kinds = 0
    let bits = 0
    let length = 0
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i]!
      if (code === 0) continue
      kinds |= code
      bits |= (code - 1) << length
      if (++length < 8) continue
      page.byte(bits)
      bits = 0
      length = 0
    }
    if (length > 0) page.byte(bits)
    if (kinds === 0) return undefined
    return [Uint8Array.of(kinds & 1 ? 0 : 1), Uint8Array.of(kinds & 2 ? 1 : 0)]
  }

  #sized(length: number): Uint32Array {
    if (this.#indices.length < length) {
      this.#indices = new Uint32Array(length)
      this.#seen = new Uint32Array(length)
    }
    return this.#indices
  }
}

/**
 * Appends a page with its header. Returns its size as it would be without compression.
 * @param encoding of a data page; undefined for a dictionary
 */
function writePage(
  sink: ByteSink,
  bytes: Uint8Array,
  { count, encoding }: { readonly count: number; readonly encoding: number | undefined },
): number {
  const compressed = compress(bytes)
  const start = sink.length
  writeStruct(sink, (header) => {
    header.i32(1, encoding === undefined ? PAGES.dictionary : PAGES.data)
    header.i32(2, bytes.length)
    header.i32(3, compressed.length)
    if (encoding === undefined) {
      header.struct(7, (page) => {
        page.i32(1, count)
        page.i32(2, ENCODINGS.plain)
      })
    } else {
      header.struct(5, (page) => {
        page.i32(1, count)
        page.i32(2, encoding)
        page.i32(3, ENCODINGS.levels)
        page.i32(4, ENCODINGS.levels)
      })
    }
  })
  const header = sink.length - start
  sink.bytes(compressed)
  return header + bytes.length
}

function compress(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= MAX_STORED) return stored(bytes)
  return zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: 1 },
    // The output is one piece, which takes two thirds of the time of pieces of 16 KiB.
    chunkSize: bytes.length + (bytes.length >> 8) + 64,
  })
}

/** Returns a Zstandard frame (RFC 8878) of one block that is stored as it is. */
function stored(bytes: Uint8Array): Uint8Array {
  const { length } = bytes
  const frame = new Uint8Array(9 + length)
  const size = (length << 3) | 1
  frame.set([0x28, 0xb5, 0x2f, 0xfd, 0x20, length, size & 0xff, size >> 8, 0])
  frame.set(bytes, 9)
  return frame
}

function rangeOf(type: ParquetType, { view, length, written }: ByteSink): ChunkFacts['range'] {
  const span = type === 'text' ? textRange(view, length) : numberRange(view, length, type)
  if (!span) return undefined
  const [least, greatest] = span
  return [
    Uint8Array.from(written.subarray(...least)),
    Uint8Array.from(written.subarray(...greatest)),
  ]
}

type Span = readonly [start: number, end: number]
type Spans = readonly [least: Span, greatest: Span]

/** Returns where the least and the greatest number are. The order of NaN is not defined, so there is no range then. */
function numberRange(view: DataView, length: number, type: ParquetType): Spans | undefined {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [leastAt, greatestAt] = [0, 0]
  for (let at = 0; at < length; at += 8) {
    // Integers are safe ones, so their high half times 2 ** 32 and their low half add up without loss.
    const number =
      type === 'double'
        ? view.getFloat64(at, true)
        : view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true)
    if (Number.isNaN(number)) return undefined
    if (number < least) [least, leastAt] = [number, at]
    if (number > greatest) [greatest, greatestAt] = [number, at]
  }
  return [
    [leastAt, leastAt + 8],
    [greatestAt, greatestAt + 8],
  ]
}

/** Returns where the least and the greatest text are, by their bytes. */
function textRange(view: DataView, length: number): Spans | undefined {
  let least: Span = [LENGTH_BYTES, LENGTH_BYTES + view.getUint32(0, true)]
  let greatest = least
  for (let at = 0; at < length; ) {
    const start = at + LENGTH_BYTES
    const end = start + view.getUint32(at, true)
    if (compare(view, start, end, least) < 0) least = [start, end]
    else if (compare(view, start, end, greatest) > 0) greatest = [start, end]
    at = end
  }
  const isLong = ([start, end]: Span) => end - start > MAX_STATISTIC
  return isLong(least) || isLong(greatest) ? undefined : [least, greatest]
}

function compare(view: DataView, start: number, end: number, [from, to]: Span): number {
  const shared = Math.min(end - start, to - from)
  let at = 0
  for (; at + 4 <= shared; at += 4) {
    const difference = view.getUint32(start + at) - view.getUint32(from + at)
    if (difference !== 0) return difference
  }
  for (; at < shared; at++) {
    const difference = view.getUint8(start + at) - view.getUint8(from + at)
    if (difference !== 0) return difference
  }
  return end - start - (to - from)
}
