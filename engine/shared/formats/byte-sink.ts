const DASH = 0x2d
/** Difference between the character codes of a lower-case letter and the same letter in upper case. */
const CASE = 0x20
/** Two hex digits of each byte, packed in little-endian order. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const digit = (half: number) => (half < 10 ? 0x30 + half : 0x57 + half)
  return (digit(byte & 15) << 8) | digit(byte >> 4)
})
const ZERO = 0x30
const MAX_DIGITS = 17
const NINE_DIGITS = 1e9
/** Two decimal digits of each number below 100, packed in little-endian order. */
const PAIRS = Uint16Array.from({ length: 100 }, (_, pair) => {
  const tens = Math.floor(pair / 10)
  return ((ZERO + (pair - 10 * tens)) << 8) | (ZERO + tens)
})
/** Values that capitalise letters when subtracted from four of them (little-endian), indexed by four bits. */
const RAISING = Int32Array.from({ length: 16 }, (_, bits) =>
  [0, 1, 2, 3].reduce((sum, i) => sum + ((bits >> i) & 1) * CASE * 2 ** (8 * i), 0),
)

/** A byte buffer that grows as needed. */
export class ByteSink {
  #target: Buffer
  #view: DataView
  #length = 0

  /** @param target initial buffer. Its content is overwritten, and nothing else may use it. */
  constructor(target: Buffer) {
    this.#target = target
    this.#view = viewOf(target)
  }

  get length(): number {
    return this.#length
  }

  text(text: string): void {
    // A UTF-16 unit has at most three bytes in UTF-8.
    this.#reserve(text.length * 3)
    this.#length += this.#target.write(text, this.#length)
  }

  byte(byte: number): void {
    this.#reserve(1)
    this.#target[this.#length++] = byte
  }

  /** Appends the bytes [start, end) of the source. Faster than `bytes` for the few bytes of a table cell. */
  copy(source: DataView, start: number, end: number): void {
    this.#reserve(end - start)
    this.#length = copyBytes(this.#view, this.#length, source, start, end)
  }

  /**
   * Appends like `copy` and capitalises the ASCII letters whose bits are set.
   * @param upper one bit per byte of the source, lowest bit first
   */
  copyRaised(source: DataView, start: number, end: number, upper: Uint8Array): void {
    this.#reserve(end - start)
    this.#length = copyRaised(this.#view, this.#length, { source, start, end, upper })
  }

  /** Appends 16 bytes as 32 lower-case hex digits. */
  hex(source: Uint8Array, start: number): void {
    this.#reserve(HEX_LENGTH)
    this.#length = writeHex(this.#view, this.#length, source, start)
  }

  /** Appends 16 bytes as a UUID. */
  uuid(source: Uint8Array, start: number): void {
    this.#reserve(UUID_LENGTH)
    this.#length = writeUuid(this.#view, this.#length, source, start)
  }

  /** Appends a safe integer in decimal digits. */
  integer(value: number): void {
    this.#reserve(MAX_DIGITS)
    this.#length = writeInteger(this.#view, this.#length, value)
  }

  /** Reserves space that the caller writes through `view`. Returns its offset. */
  skip(length: number): number {
    this.#reserve(length)
    const place = this.#length
    this.#length += length
    return place
  }

  /** View of the whole buffer. The buffer is replaced when it grows. */
  get view(): DataView {
    return this.#view
  }

  /** Truncates the written bytes to this length. */
  cutTo(length: number): void {
    this.#length = length
  }

  /** Replaces a byte that was written. */
  replace(place: number, byte: number): void {
    this.#target[place] = byte
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#target.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** The written bytes, without a copy. Valid until more is written. */
  get written(): Uint8Array {
    return this.#target.subarray(0, this.#length)
  }

  /** Returns a copy of the written bytes and empties the sink. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length)
    bytes.set(this.#target.subarray(0, this.#length))
    this.#length = 0
    return bytes
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#target.length) return
    const target = Buffer.allocUnsafeSlow(
      Math.max(this.#length + more, this.#target.length * 2, 1024),
    )
    this.#target.copy(target, 0, 0, this.#length)
    this.#target = target
    this.#view = viewOf(target)
  }
}

/** Copies the bytes [start, end) of the source to `at` of the target. Returns the end of the copy. */
export function copyBytes(
  target: DataView,
  at: number,
  source: DataView,
  start: number,
  end: number,
): number {
  const behind = at + (end - start)
  let from = start
  let to = at
  if (end - start < 4) {
    for (; from < end; from++, to++) target.setInt8(to, source.getInt8(from))
    return behind
  }
  for (; from + 4 <= end; from += 4, to += 4) target.setInt32(to, source.getInt32(from, true), true)
  // Copies the last four bytes, some of which may be copied already.
  target.setInt32(behind - 4, source.getInt32(end - 4, true), true)
  return behind
}

/** Part of a source with the letters to capitalise. */
interface RaisedText {
  readonly source: DataView
  readonly start: number
  readonly end: number
  /** Bitmap with one bit for each byte of the source, lowest bit first. */
  readonly upper: Uint8Array
}

/** Copies like `copyBytes` and capitalises letters. Returns the end of the copy. */
export function copyRaised(
  target: DataView,
  at: number,
  { source, start, end, upper }: RaisedText,
): number {
  let to = at
  let from = start
  for (; from + 4 <= end; from += 4, to += 4) {
    // The bits of four letters may span two bytes.
    const place = from >> 3
    const bits = ((upper[place]! | (upper[place + 1]! << 8)) >> (from & 7)) & 15
    target.setInt32(to, source.getInt32(from, true) - RAISING[bits]!, true)
  }
  for (; from < end; from++, to++) {
    const bit = (upper[from >> 3]! >> (from & 7)) & 1
    target.setInt8(to, source.getInt8(from) - bit * CASE)
  }
  return to
}

export const HEX_LENGTH = 32
export const UUID_LENGTH = 36

/** Writes 16 bytes as 32 lower-case hex digits. Returns the end. */
export function writeHex(target: DataView, at: number, source: Uint8Array, start: number): number {
  for (let i = 0; i < 8; i++) target.setInt32(at + 4 * i, fourDigits(source, start + 2 * i), true)
  return at + HEX_LENGTH
}

/** Writes 16 bytes as a UUID. Returns the end. */
export function writeUuid(target: DataView, at: number, source: Uint8Array, start: number): number {
  target.setInt32(at, fourDigits(source, start), true)
  target.setInt32(at + 4, fourDigits(source, start + 2), true)
  target.setInt8(at + 8, DASH)
  target.setInt32(at + 9, fourDigits(source, start + 4), true)
  target.setInt8(at + 13, DASH)
  target.setInt32(at + 14, fourDigits(source, start + 6), true)
  target.setInt8(at + 18, DASH)
  target.setInt32(at + 19, fourDigits(source, start + 8), true)
  target.setInt8(at + 23, DASH)
  target.setInt32(at + 24, fourDigits(source, start + 10), true)
  target.setInt32(at + 28, fourDigits(source, start + 12), true)
  target.setInt32(at + 32, fourDigits(source, start + 14), true)
  return at + UUID_LENGTH
}

/** Returns the hex digits of two bytes, packed in little-endian order. */
function fourDigits(source: Uint8Array, at: number): number {
  return DIGITS[source[at]!]! | (DIGITS[source[at + 1]!]! << 16)
}

/** Returns the number of bytes of a safe integer in decimal digits. */
export function integerLength(value: number): number {
  const size = Math.abs(value)
  const sign = value < 0 ? 1 : 0
  if (size < NINE_DIGITS) return sign + digitsOf(size | 0)
  return sign + 9 + digitsOf(Math.floor(size / NINE_DIGITS) | 0)
}

/** Writes a safe integer in decimal digits. Returns the end. */
export function writeInteger(target: DataView, at: number, value: number): number {
  const size = Math.abs(value)
  if (value < 0) target.setInt8(at, DASH)
  const start = value < 0 ? at + 1 : at
  // 32-bit integers are divided several times as fast.
  if (size < NINE_DIGITS) return writeDigits(target, start, size | 0, digitsOf(size | 0))
  const above = Math.floor(size / NINE_DIGITS)
  const middle = writeDigits(target, start, above | 0, digitsOf(above | 0))
  return writeDigits(target, middle, (size - above * NINE_DIGITS) | 0, 9)
}

function writeDigits(target: DataView, at: number, integer: number, count: number): number {
  const end = at + count
  let to = end
  let rest = integer
  for (; to - at >= 2; to -= 2) {
    const above = (rest / 100) | 0
    target.setInt16(to - 2, PAIRS[rest - above * 100]!, true)
    rest = above
  }
  if (to > at) target.setInt8(at, ZERO + rest)
  return end
}

function digitsOf(integer: number): number {
  if (integer < 10_000) {
    if (integer < 100) return integer < 10 ? 1 : 2
    return integer < 1000 ? 3 : 4
  }
  if (integer < 1_000_000) return integer < 100_000 ? 5 : 6
  if (integer < 100_000_000) return integer < 10_000_000 ? 7 : 8
  return integer < NINE_DIGITS ? 9 : 10
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength)
