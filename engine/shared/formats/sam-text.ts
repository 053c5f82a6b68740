import { readName } from './bam.ts'
import {
  type BamTag,
  cigarOf,
  eachTag,
  isFloat,
  numberAt,
  tagsStart,
  widthOfNumber,
} from './bam-tags.ts'
import { printElement, printFloat } from './print-number.ts'

/** Reference names of a file, concatenated, so that threads can share their memory. */
export interface PackedNames {
  readonly bytes: Uint8Array
  /** Offset of each name, followed by the end of the last name. */
  readonly starts: Uint32Array
}

/** Packs names into shared memory. */
export function packNames(names: readonly string[]): PackedNames {
  const encoded = names.map((name) => Buffer.from(name))
  const length = encoded.reduce((sum, name) => sum + name.length, 0)
  const bytes = new Uint8Array(new SharedArrayBuffer(length))
  const starts = new Uint32Array(new SharedArrayBuffer(4 * (names.length + 1)))
  let at = 0
  for (const [i, name] of encoded.entries()) {
    bytes.set(name, at)
    at += name.length
    starts[i + 1] = at
  }
  return { bytes, starts }
}

/** Returns the bytes of a name, or no bytes for a reference that the file does not have. */
export function nameBytes({ bytes, starts }: PackedNames, reference: number): Uint8Array {
  return bytes.subarray(starts[reference] ?? 0, starts[reference + 1] ?? 0)
}

const OPERATIONS = Buffer.from('MIDNSHP=XB??????')
const BASES = Buffer.from('=ACMGRSVTWYHKDBN')
/** Letters of two bases for each byte of a packed sequence. */
const BASE_PAIRS = Buffer.from(
  Array.from({ length: 256 }, (_, byte) => [BASES[byte >> 4]!, BASES[byte & 15]!]).flat(),
)
const [TAB, NEWLINE, COLON, COMMA, STAR, EQUALS] = [9, 10, 58, 44, 42, 61]

/** A text buffer that grows as needed. If the maximum size of a part is known, reserve it once. */
export class TextBuffer {
  #bytes: Buffer
  #length = 0

  /** @param space initial size in bytes, or memory to use while it is large enough */
  constructor(space: number | Buffer = 1 << 20) {
    this.#bytes = typeof space === 'number' ? Buffer.allocUnsafeSlow(space) : space
  }

  get length(): number {
    return this.#length
  }

  reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }

  byte(code: number): void {
    this.reserve(1)
    this.#bytes[this.#length++] = code
  }

  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  text(text: string): void {
    this.reserve(3 * text.length)
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** Appends ASCII text. */
  ascii(text: string): void {
    this.reserve(text.length)
    this.#length += this.#bytes.write(text, this.#length, 'latin1')
  }

  bases(packed: Uint8Array, count: number): void {
    this.reserve(count + 1)
    let at = this.#length
    for (const pair of packed.subarray(0, (count + 1) >> 1)) {
      this.#bytes[at++] = BASE_PAIRS[2 * pair]!
      this.#bytes[at++] = BASE_PAIRS[2 * pair + 1]!
    }
    this.#length += count
  }

  qualities(phred: Uint8Array): void {
    this.reserve(phred.length)
    for (const value of phred) this.#bytes[this.#length++] = value + 33
  }

  /** Returns a copy of the written text and empties the buffer. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = Uint8Array.from(this.#bytes.subarray(0, this.#length))
    this.#length = 0
    return taken
  }
}

/** Location of a record in bytes. */
export interface RecordSpan {
  readonly bytes: Uint8Array
  /** View of `bytes`. */
  readonly view: DataView
  readonly at: number
  readonly end: number
}

/**
 * Writes a record as a line of SAM, as `samtools view` 1.16 does.
 * @throws FormatError if an optional field is truncated or has an unknown type
 */
export function writeSam(record: RecordSpan, names: PackedNames, out: TextBuffer): void {
  const { bytes, view, at, end } = record
  const reference = view.getInt32(at + 4, true)
  const mate = view.getInt32(at + 24, true)
  out.bytes(readName(bytes, view, at))
  out.ascii(`\t${view.getUint16(at + 18, true)}\t`)
  writeName(names, reference, out)
  out.ascii(`\t${view.getInt32(at + 8, true) + 1}\t${view.getUint8(at + 13)}\t`)
  const cigar = cigarOf(bytes, view, at, end)
  if (cigar.count === 0) out.byte(STAR)
  else writeCigar(view, cigar.at, cigar.count, out)
  out.byte(TAB)
  if (mate >= 0 && mate === reference) out.byte(EQUALS)
  else writeName(names, mate, out)
  out.ascii(`\t${view.getInt32(at + 28, true) + 1}\t${view.getInt32(at + 32, true)}\t`)
  writeSequence(record, out)
  for (const tag of eachTag(bytes, tagsStart(view, at), end)) {
    if (tag.at === cigar.tag?.at) continue
    out.byte(TAB)
    writeTag(record, tag, out)
  }
  out.byte(NEWLINE)
}

function writeName(names: PackedNames, reference: number, out: TextBuffer): void {
  if (reference < 0) out.byte(STAR)
  else out.bytes(nameBytes(names, reference))
}

/** Appends a CIGAR as text, `*` not included. `count` is the number of operations. */
export function writeCigar(view: DataView, from: number, count: number, out: TextBuffer): void {
  for (let op = from; op < from + 4 * count; op += 4) {
    const word = view.getUint32(op, true)
    out.ascii(String(word >>> 4))
    out.byte(OPERATIONS[word & 15]!)
  }
}

function writeSequence({ bytes, view, at }: RecordSpan, out: TextBuffer): void {
  const bases = view.getInt32(at + 20, true)
  if (bases === 0) {
    out.ascii('*\t*')
    return
  }
  const qualities = tagsStart(view, at) - bases
  out.bases(bytes.subarray(qualities - ((bases + 1) >> 1), qualities), bases)
  out.byte(TAB)
  if (bytes[qualities] === 0xff) out.byte(STAR)
  else out.qualities(bytes.subarray(qualities, qualities + bases))
}

/** Writes an optional field, such as `NM:i:3`. For integers of all widths, SAM has the single letter `i`. */
export function writeTag({ bytes, view }: RecordSpan, tag: BamTag, out: TextBuffer): void {
  const { at, type, element, count, from, to } = tag
  out.bytes(bytes.subarray(at, at + 2))
  out.byte(COLON)
  const letter = String.fromCharCode(type)
  if (letter === 'A' || letter === 'Z' || letter === 'H') {
    out.ascii(`${letter}:`)
    out.bytes(bytes.subarray(from, to))
  } else if (letter === 'B') {
    out.ascii(`B:${String.fromCharCode(element)}`)
    const width = widthOfNumber(element)
    for (let i = 0; i < count; i++) {
      out.byte(COMMA)
      out.ascii(printedAt(view, element, from + i * width, printElement))
    }
  } else {
    out.ascii(isFloat(type) ? `${letter}:` : 'i:')
    out.ascii(printedAt(view, type, from, printFloat))
  }
}

function printedAt(view: DataView, type: number, at: number, print: typeof printFloat): string {
  const value = numberAt(view, type, at)
  if (!isFloat(type)) return String(value)
  // The sign bit is read from the last byte, because NaN loses its sign as a number.
  return print(value, view.getUint8(at + widthOfNumber(type) - 1) > 127)
}
