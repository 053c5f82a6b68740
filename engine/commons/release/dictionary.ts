import { isAscii } from 'node:buffer'
import type { ColumnArrays } from './layout.ts'
import { PACKED_BYTES, type TextForm } from './text-form.ts'

/** The parts of a column that its dictionary reads. */
export interface DictionaryParts {
  readonly distinct: number
  /** Facts of the file, with `width` and `form` if entries are packed. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly arrays: Pick<ColumnArrays, 'numbers' | 'ends' | 'bytes'>
}

/** Entries decoded at a time by `matching`. */
const BATCH = 4096

/** Number of entries from which a place is estimated, and the distances at which it is then looked for. */
const MIN_SPREAD = 256
const FIRST_STEP = 32
const STEP_GROWTH = 4
/** Number of values of the first bytes of an entry. */
const FIRST_BYTES = 2 ** 32

/** Codes between which a place is, both included. */
interface Bounds {
  readonly low: number
  readonly high: number
}

/**
 * Distinct values of a column in ascending order: texts by their UTF-8 bytes, or numbers. Codes count from 1;
 * 0 means no value. The shared arrays are read in place, without copies.
 */
export class Dictionary {
  readonly size: number
  readonly kind: 'text' | 'number'
  readonly form: TextForm
  readonly #numbers: Float64Array
  readonly #ends: Uint32Array
  readonly #bytes: Buffer

  constructor({ distinct, facts, arrays }: DictionaryParts) {
    this.size = distinct
    this.kind = arrays.numbers ? 'number' : 'text'
    this.form = (facts.form as TextForm | undefined) ?? 'text'
    this.#numbers = arrays.numbers ?? new Float64Array(0)
    this.#ends = arrays.ends ?? new Uint32Array(0)
    const { buffer, byteOffset, byteLength } = arrays.bytes ?? new Uint8Array(0)
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength)
  }

  /** Returns the value of a code as text, with numbers as in JSON. */
  text(code: number): string {
    if (this.kind === 'number') return String(this.#numbers[code - 1])
    if (this.form === 'text') {
      return this.#bytes.toString('utf8', this.#ends[code - 1], this.#ends[code])
    }
    const hex = this.#bytes.toString('hex', (code - 1) * PACKED_BYTES, code * PACKED_BYTES)
    return this.form === 'hex' ? hex : dashed(hex, 0)
  }

  /** Returns the value of a code as a number, or NaN for text. */
  number(code: number): number {
    return this.#numbers[code - 1] ?? Number.NaN
  }

  /** Returns the code of a value, or 0 if it is unknown. The value must be folded like the field's type requires. */
  find(value: string | number): number {
    if ((typeof value === 'number') !== (this.kind === 'number')) return 0
    if (typeof value === 'number') {
      const code = this.lowerBound(value)
      return this.number(code) === value ? code : 0
    }
    // All entries have the packed form, so a text that has another form is not an entry.
    const bytes = this.form === 'text' ? Buffer.from(value) : packed16(value, this.form)
    if (!bytes) return 0
    const bounds = this.form === 'text' ? undefined : this.#boundsOf(bytes)
    const code = this.#lowest((middle) => this.#compareBytes(middle, bytes) < 0, bounds)
    return code <= this.size && this.#compareBytes(code, bytes) === 0 ? code : 0
  }

  /**
   * Returns the first code whose value is not below the given value. Returns size + 1 if there is none, or if
   * one value is a number and the other a text.
   */
  lowerBound(value: string | number): number {
    if ((typeof value === 'number') !== (this.kind === 'number')) return this.size + 1
    return this.#lowest(
      typeof value === 'number' ? this.#numberBelow(value) : this.#textBelow(value),
    )
  }

  /**
   * Returns codes between which the place of packed bytes is. Ids and checksums are spread evenly, so the place is
   * near the one that their first bytes suggest. Of 1,000,000 ids, it looks at about nine instead of twenty.
   */
  #boundsOf(bytes: Buffer): Bounds {
    const { size } = this
    if (size < MIN_SPREAD) return { low: 1, high: size + 1 }
    const wanted = firstBytes(bytes, 0)
    const near = (code: number) => Math.min(Math.max(Math.round(code), 1), size)
    const first = near((wanted / FIRST_BYTES) * size)
    const off = wanted - firstBytes(this.#bytes, (first - 1) * PACKED_BYTES)
    const guess = near(first + (off / FIRST_BYTES) * size)
    const isBelow = this.#compareBytes(guess, bytes) < 0
    let low = isBelow ? guess + 1 : 1
    let high = isBelow ? size + 1 : guess
    for (let step = FIRST_STEP; ; step *= STEP_GROWTH) {
      const next = isBelow ? low + step : high - step
      if (next < 1 || next > size) break
      if (this.#compareBytes(next, bytes) < 0 === isBelow) {
        if (isBelow) low = next + 1
        else high = next
      } else {
        if (isBelow) high = next
        else low = next + 1
        break
      }
    }
    return { low, high }
  }

  #lowest(isBelow: (code: number) => boolean, bounds?: Bounds): number {
    let { low, high } = bounds ?? { low: 1, high: this.size + 1 }
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isBelow(middle)) low = middle + 1
      else high = middle
    }
    return low
  }

  #numberBelow(value: number): (code: number) => boolean {
    return (code) => this.#numbers[code - 1]! < value
  }

  #textBelow(value: string): (code: number) => boolean {
    const packed = packed16(value, this.form)
    const bytes = packed ?? Buffer.from(value)
    if (packed || this.form === 'text') return (code) => this.#compareBytes(code, bytes) < 0
    return (code) => Buffer.compare(Buffer.from(this.text(code)), bytes) < 0
  }

  /** Compares an entry with packed bytes. Faster than `Buffer.compare`, because most entries differ early. */
  #compareBytes(code: number, bytes: Buffer): number {
    const [start, end] = this.#place(code)
    const own = this.#bytes
    const length = Math.min(end - start, bytes.length)
    for (let i = 0; i < length; i++) {
      const difference = own[start + i]! - bytes[i]!
      if (difference !== 0) return difference
    }
    return end - start - bytes.length
  }

  /** Compares an entry with an entry of another dictionary. Returns a negative number if this one is lower. */
  compareTo(code: number, other: Dictionary, otherCode: number): number {
    if (this.form !== other.form) {
      return Buffer.compare(Buffer.from(this.text(code)), Buffer.from(other.text(otherCode)))
    }
    const [start, end] = this.#place(code)
    const [otherStart, otherEnd] = other.#place(otherCode)
    return this.#bytes.compare(other.#bytes, otherStart, otherEnd, start, end)
  }

  /** Returns the start and end of an entry's bytes. */
  #place(code: number): readonly [number, number] {
    if (this.form !== 'text') return [(code - 1) * PACKED_BYTES, code * PACKED_BYTES]
    return [this.#ends[code - 1]!, this.#ends[code]!]
  }

  /** Returns the codes whose texts pass, ascending. Tests every entry. */
  matching(test: (text: string) => boolean): Uint32Array {
    const found: number[] = []
    for (let from = 0; from < this.size; from += BATCH) {
      const to = Math.min(from + BATCH, this.size)
      const textAt = this.#batch(from, to)
      for (let i = from; i < to; i++) if (test(textAt(i))) found.push(i + 1)
    }
    return Uint32Array.from(found)
  }

  /**
   * Returns a function for the entries `from` (inclusive) to `to` (exclusive), counted from 0. If each byte is a
   * character, they are decoded together.
   */
  #batch(from: number, to: number): (i: number) => string {
    if (this.kind === 'number') return (i) => this.text(i + 1)
    if (this.form !== 'text') {
      const hex = this.#bytes.toString('hex', from * PACKED_BYTES, to * PACKED_BYTES)
      const digits = 2 * PACKED_BYTES
      if (this.form === 'uuid') return (i) => dashed(hex, (i - from) * digits)
      return (i) => hex.slice((i - from) * digits, (i - from + 1) * digits)
    }
    const ends = this.#ends
    const start = ends[from]!
    const bytes = this.#bytes.subarray(start, ends[to])
    if (!isAscii(bytes)) return (i) => this.text(i + 1)
    const text = bytes.toString('latin1')
    return (i) => text.slice(ends[i]! - start, ends[i + 1]! - start)
  }
}

/** Returns the first four bytes of a packed entry as a number, the first byte as the highest. */
const firstBytes = (bytes: Buffer, at: number): number =>
  ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0

function dashed(hex: string, at: number): string {
  const part = (from: number, to: number) => hex.slice(at + from, at + to)
  return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const HEX = /^[0-9a-f]{32}$/

/** Packs a text into 16 bytes. Returns undefined if the text does not have the form of the dictionary's entries. */
function packed16(value: string, form: TextForm): Buffer | undefined {
  if (form === 'uuid' && value.length === 36 && UUID.test(value))
    return Buffer.from(value.replaceAll('-', ''), 'hex')
  if (form === 'hex' && value.length === 32 && HEX.test(value)) return Buffer.from(value, 'hex')
  return undefined
}
