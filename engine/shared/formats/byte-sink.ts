const DASH = 0x2d
/** From a lower-case letter to its upper-case one. */
const CASE = 0x20
/** Two hex digits of each byte; big-endian. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const digit = (half: number) => (half < 10 ? 0x30 + half : 0x57 + half)
  return (digit(byte >> 4) << 8) | digit(byte & 15)
})
const ZERO = 0x30
const MAX_DIGITS = 17
const NINE_DIGITS = 1e9
/** What takes four letters to their upper-case ones, by the bits of those that are meant; big-endian. */
const RAISING = Int32Array.from({ length: 16 }, (_, bits) =>
  [0, 1, 2, 3].reduce((sum, i) => sum + ((bits >> i) & 1) * CASE * 2 ** (8 * (3 - i)), 0),
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
    const view = this.#view
    let to = this.#length
    let from = start
    // Four bytes at a step.
    for (; from + 4 <= end; from += 4, to += 4) view.setInt32(to, source.getInt32(from))
    for (; from < end; from++, to++) view.setInt8(to, source.getInt8(from))
    this.#length = to
  }

  /**
   * As `copy` with the ASCII letters upper-case whose bits are set.
   * @param upper a bit for each byte of the source, lowest first
   */
  copyRaised(source: DataView, start: number, end: number, upper: Uint8Array): void {
    this.#reserve(end - start)
    const view = this.#view
    let to = this.#length
    let from = start
    for (; from + 4 <= end; from += 4, to += 4) {
      // Bits of four bytes, which may lie in two bytes.
      const at = from >> 3
      const bits = ((upper[at]! | (upper[at + 1]! << 8)) >> (from & 7)) & 15
      view.setInt32(to, source.getInt32(from) - RAISING[bits]!)
    }
    for (; from < end; from++, to++) {
      const bit = (upper[from >> 3]! >> (from & 7)) & 1
      view.setInt8(to, source.getInt8(from) - bit * CASE)
    }
    this.#length = to
  }

  /** 16 bytes as 32 lower-case hex digits. */
  hex(source: Uint8Array, start: number): void {
    this.#reserve(32)
    this.#length = writeDigits(this.#view, this.#length, source, start, start + 16)
  }

  /** 16 bytes as a UUID. */
  uuid(source: Uint8Array, start: number): void {
    this.#reserve(36)
    const view = this.#view
    let to = writeDigits(view, this.#length, source, start, start + 4)
    view.setUint8(to, DASH)
    to = writeDigits(view, to + 1, source, start + 4, start + 6)
    view.setUint8(to, DASH)
    to = writeDigits(view, to + 1, source, start + 6, start + 8)
    view.setUint8(to, DASH)
    to = writeDigits(view, to + 1, source, start + 8, start + 10)
    view.setUint8(to, DASH)
    this.#length = writeDigits(view, to + 1, source, start + 10, start + 16)
  }

  /** A safe integer in decimal digits. */
  integer(value: number): void {
    this.#reserve(MAX_DIGITS)
    const size = Math.abs(value)
    if (value < 0) this.#target[this.#length++] = DASH
    // Small integers are divided several times as fast.
    if (size < NINE_DIGITS) this.#digits(size | 0, digitsOf(size | 0))
    else {
      const above = Math.floor(size / NINE_DIGITS)
      this.#digits(above | 0, digitsOf(above | 0))
      this.#digits((size - above * NINE_DIGITS) | 0, 9)
    }
  }

  #digits(integer: number, count: number): void {
    const target = this.#target
    const end = this.#length + count
    let rest = integer
    for (let at = end - 1; at >= this.#length; at--) {
      const above = (rest / 10) | 0
      target[at] = ZERO + (rest - above * 10)
      rest = above
    }
    this.#length = end
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

function digitsOf(integer: number): number {
  let digits = 1
  for (let rest = (integer / 10) | 0; rest > 0; rest = (rest / 10) | 0) digits++
  return digits
}

/** Two hex digits for each byte; where they end. */
function writeDigits(
  target: DataView,
  at: number,
  source: Uint8Array,
  start: number,
  end: number,
): number {
  let to = at
  for (let from = start; from < end; from++, to += 2) target.setUint16(to, DIGITS[source[from]!]!)
  return to
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength)
