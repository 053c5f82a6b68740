import { FormatError } from '../../shared/formats/format-error.ts'

/** One record of a JSON source as bytes, which may not be valid JSON. */
interface JsonElement {
  readonly bytes: Buffer
  /** Line of its first byte, 1-based. */
  readonly line: number
}

/** Maximum length of a record in bytes. It bounds the memory for a file in which a record never ends. */
const MAX_ELEMENT_BYTES = 64 << 20

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const COMMA = 0x2c
const COLON = 0x3a
const LF = 0x0a
const SPACE = 0x20
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Number of bytes of a member name to keep, more than the names of list envelopes need. */
const KEY_BYTES = 8

/**
 * Splits JSON bytes into records without parsing them, in memory for one chunk and one record. A record is an
 * element of a top-level array, of `data.hits` or of an array `data`, or any other top-level value. The same
 * loop therefore reads arrays, list envelopes, single records and newline-delimited JSON. It tracks only strings
 * and depth. Errors within a record are found when the record is parsed.
 * @throws FormatError if the bytes end inside a value, or a record is longer than `maxBytes`
 */
export async function* splitElements(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number = MAX_ELEMENT_BYTES,
): AsyncGenerator<readonly JsonElement[], void, undefined> {
  const splitter = new ElementSplitter(maxBytes)
  for await (const chunk of chunks) {
    const elements = splitter.push(chunk)
    if (elements.length > 0) yield elements
  }
  const last = splitter.end()
  if (last.length > 0) yield last
}

class ElementSplitter {
  readonly #maxBytes: number
  #found: JsonElement[] = []
  #line = 1
  #depth = 0
  #inString = false
  #escaped = false
  /** Depth of records: 0 at top level, 1 in a top-level array, 2 or 3 in an envelope. */
  #level = 0
  /** Bytes of the current record from earlier chunks. */
  #carried: Buffer[] = []
  #carriedBytes = 0
  /** Whether a record is being read. The record begins at `#start` in the current chunk. */
  #capturing = false
  #start = 0
  #startLine = 1
  /** Whether the record is a number, word or string, which ends before the first byte that is not part of it. */
  #isScalar = false
  /** Whether the keys of a top-level object are read, because the object may be the envelope of a list of records. */
  #isWatching = false
  #key: number[] = []
  #isInData = false
  #skipped = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  push(given: Uint8Array): readonly JsonElement[] {
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
    this.#start = 0
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0
      if (this.#inString) i = this.#skipString(chunk, i)
      else if (byte === LF) this.#onBlank(chunk, i, 1)
      else if (byte <= SPACE) this.#onBlank(chunk, i, 0)
      else this.#onByte(chunk, i, byte)
    }
    if (this.#capturing) this.#carry(chunk)
    const found = this.#found
    this.#found = []
    return found
  }

  end(): readonly JsonElement[] {
    if (this.#isScalar && !this.#inString) this.#finish(Buffer.alloc(0), 0)
    if (this.#capturing || this.#inString || this.#depth > 0) {
      throw new FormatError(`ends inside a value that begins in line ${this.#startLine}`)
    }
    return this.#found
  }

  /** Skips to the end of the string or of the chunk and returns the position. */
  #skipString(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      const byte = chunk[i]
      if (this.#escaped) this.#escaped = false
      else if (byte === BACKSLASH) this.#escaped = true
      else if (byte === QUOTE) {
        this.#inString = false
        if (this.#isScalar && this.#depth === this.#level) this.#finish(chunk, i + 1)
        return i
      } else if (byte === LF) this.#line++
      if (this.#isWatching && this.#depth <= 2 && this.#key.length < KEY_BYTES) {
        this.#key.push(byte ?? 0)
      }
    }
    return chunk.length
  }

  #onBlank(chunk: Buffer, i: number, lines: number): void {
    if (this.#isScalar) this.#finish(chunk, i)
    this.#line += lines
  }

  #onByte(chunk: Buffer, i: number, byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#key = []
        if (!this.#capturing && this.#depth === this.#level) this.#begin(i, true)
        this.#inString = true
        return
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        this.#onOpen(i, byte)
        return
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.#onClose(chunk, i)
        return
      case COMMA:
        if (this.#isScalar) this.#finish(chunk, i)
        return
      case COLON:
        if (this.#isWatching && this.#depth === 1) this.#isInData = this.#hasKey('data')
        return
      default:
        if (this.#capturing || this.#depth !== this.#level) return
        if (this.#line === 1 && byte === BYTE_ORDER_MARK[this.#skipped]) this.#skipped++
        else this.#begin(i, true)
    }
  }

  #onOpen(i: number, byte: number): void {
    if (this.#isScalar) throw new FormatError(`line ${this.#line} is no JSON`)
    const isArray = byte === OPEN_ARRAY
    if (!this.#capturing && this.#depth === this.#level) {
      if (this.#level === 0 && isArray) {
        this.#level = 1
        this.#depth = 1
        this.#startLine = this.#line
        return
      }
      this.#begin(i, false)
      this.#isWatching = this.#level === 0
      this.#isInData = false
    } else if (this.#isWatching && this.#isInData && isArray) {
      const isHits = this.#depth === 2 && this.#hasKey('hits')
      if (isHits || (this.#depth === 1 && this.#hasKey('data'))) this.#enterEnvelope()
    }
    this.#depth++
  }

  #onClose(chunk: Buffer, i: number): void {
    if (this.#isScalar) this.#finish(chunk, i)
    if (this.#depth === 0) throw new FormatError(`line ${this.#line} closes what was never opened`)
    this.#depth--
    if (this.#capturing) {
      if (this.#depth === this.#level) this.#finish(chunk, i + 1)
    } else if (this.#depth < this.#level) {
      // After the records of an envelope, everything is skipped up to the next top-level value.
      this.#level = this.#depth === 0 ? 0 : Number.MAX_SAFE_INTEGER
    } else if (this.#depth === 0) this.#level = 0
  }

  #hasKey(name: string): boolean {
    return String.fromCharCode(...this.#key) === name
  }

  #enterEnvelope(): void {
    this.#capturing = false
    this.#isWatching = false
    this.#carried = []
    this.#carriedBytes = 0
    this.#level = this.#depth + 1
  }

  #begin(i: number, isScalar: boolean): void {
    this.#capturing = true
    this.#isScalar = isScalar
    this.#start = i
    this.#startLine = this.#line
  }

  #carry(chunk: Buffer): void {
    const part = chunk.subarray(this.#start)
    this.#carriedBytes += part.length
    if (this.#carriedBytes > this.#maxBytes) this.#failLength()
    // Always a copy, because the caller may reuse the chunk's memory.
    this.#carried.push(Buffer.from(part))
  }

  #finish(chunk: Buffer, end: number): void {
    const part = chunk.subarray(this.#carried.length > 0 ? 0 : this.#start, end)
    if (this.#carriedBytes + part.length > this.#maxBytes) this.#failLength()
    const bytes = this.#carried.length > 0 ? Buffer.concat([...this.#carried, part]) : part
    this.#found.push({ bytes, line: this.#startLine })
    this.#capturing = false
    this.#isScalar = false
    this.#isWatching = false
    this.#carried = []
    this.#carriedBytes = 0
  }

  #failLength(): never {
    const megabytes = Math.round(this.#maxBytes / (1 << 20))
    throw new FormatError(
      `the record that begins in line ${this.#startLine} is longer than ${megabytes} MiB`,
    )
  }
}
