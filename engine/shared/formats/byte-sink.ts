const DASH = 0x2d
/** From a lower-case letter to its upper-case one. */
const CASE = 0x20
/** Two hex digits of each byte; little-endian. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const digit = (half: number) => (half < 10 ? 0x30 + half : 0x57 + half)
  return (digit(byte & 15) << 8) | digit(byte >> 4)
})
const ZERO = 0x30
const MAX_DIGITS = 17
const NINE_DIGITS = 1e9
/** Two decimal digits of each number below 100; little-endian. */
const PAIRS = Uint16Array.from({ length: 100 }, (_, pair) => {
  const tens = Math.floor(pair / 10)
  return ((ZERO + (pair - 10 * tens)) << 8) | (ZERO + tens)
})
/** What takes four letters to their upper-case ones, by the bits of those that are meant; little-endian. */
const RAISING = Int32Array.from({ length: 16 }, (_, bits) =>
  [0, 1, 2, 3].reduce((sum, i) => sum + ((bits >> i) & 1) * CASE * 2 ** (8 * i), 0),
)

/** Bytes that are written one after another; the space grows when it has to. */
export class ByteSink {
  #target: Buffer
  #view: DataView
  #length = 0

  /** @param space first space; its content does not matter, and it must not be used elsewhere */
  constructor(target: Buffer) {
    this.#target = target
    this.#view = viewOf(target)
  }

  get length(): number {
    return this.#length
  }

  text(text: string): void {
    // A UTF-16 unit becomes three bytes at most.
    this.#reserve(text.length * 3)
    this.#length += this.#target.write(text, this.#length)
  }

  byte(byte: number): void {
    this.#reserve(1)
    this.#target[this.#length++] = byte
  }

  /** Bytes `start … end - 1` of the source; faster than `bytes` for the few bytes of a cell. */
  copy(source: DataView, start: number, end: number): void {
    this.#reserve(end - start)
    this.#length = copyBytes(this.#view, this.#length, source, start, end)
  }

  /**
   * As `copy` with the ASCII letters upper-case whose bits are set.
   * @param upper a bit for each byte of the source, lowest first
   */
  copyRaised(source: DataView, start: number, end: number, upper: Uint8Array): void {
    this.#reserve(end - start)
    this.#length = copyRaised(this.#view, this.#length, { source, start, end, upper })
  }

  /** 16 bytes as 32 lower-case hex digits. */
  hex(source: Uint8Array, start: number): void {
    this.#reserve(HEX_LENGTH)
    this.#length = writeHex(this.#view, this.#length, source, start)
  }

  /** 16 bytes as a UUID. */
  uuid(source: Uint8Array, start: number): void {
    this.#reserve(UUID_LENGTH)
    this.#length = writeUuid(this.#view, this.#length, source, start)
  }

  /** A safe integer in decimal digits. */
  integer(value: number): void {
    this.#reserve(MAX_DIGITS)
    this.#length = writeInteger(this.#view, this.#length, value)
  }

  /** Takes that many bytes, which the caller writes through `view`; where they begin. */
  skip(length: number): number {
    this.#reserve(length)
    const place = this.#length
    this.#length += length
    return place
  }

  /** All of the space. Another one when more is written than fits. */
  get view(): DataView {
    return this.#view
  }

  /** Takes back all that was written from there on. */
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

  /** What was written, where it lies: valid until more is written. */
  get written(): Uint8Array {
    return this.#target.subarray(0, this.#length)
  }

  /** What was written, in memory of its own; the sink is empty afterwards. */
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

/** Bytes `start … end - 1` of the source to `at` of the target; where they end. */
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
  // The last four, some of which may have been written already.
  target.setInt32(behind - 4, source.getInt32(end - 4, true), true)
  return behind
}

/** Part of a source, with a bit for each of its letters that are upper-case. */
export interface RaisedText {
  readonly source: DataView
  readonly start: number
  readonly end: number
  /** A bit for each byte of the source, lowest first. */
  readonly upper: Uint8Array
}

/** As `copyBytes` with those letters upper-case; where they end. */
export function copyRaised(
  target: DataView,
  at: number,
  { source, start, end, upper }: RaisedText,
): number {
  let to = at
  let from = start
  for (; from + 4 <= end; from += 4, to += 4) {
    // Bits of four bytes, which may lie in two bytes.
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

/** 16 bytes as 32 lower-case hex digits; where they end. */
export function writeHex(target: DataView, at: number, source: Uint8Array, start: number): number {
  for (let i = 0; i < 8; i++) target.setInt32(at + 4 * i, fourDigits(source, start + 2 * i), true)
  return at + HEX_LENGTH
}

/** 16 bytes as a UUID; where it ends. */
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

/** Those of two bytes. */
function fourDigits(source: Uint8Array, at: number): number {
  return DIGITS[source[at]!]! | (DIGITS[source[at + 1]!]! << 16)
}

/** Bytes of a safe integer in decimal digits. */
export function integerLength(value: number): number {
  const size = Math.abs(value)
  const sign = value < 0 ? 1 : 0
  if (size < NINE_DIGITS) return sign + digitsOf(size | 0)
  return sign + 9 + digitsOf(Math.floor(size / NINE_DIGITS) | 0)
}

/** A safe integer in decimal digits; where they end. */
export function writeInteger(target: DataView, at: number, value: number): number {
  const size = Math.abs(value)
  if (value < 0) target.setInt8(at, DASH)
  const start = value < 0 ? at + 1 : at
  // Small integers are divided several times as fast.
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
