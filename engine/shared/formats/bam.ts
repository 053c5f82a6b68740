import { FormatError } from './format-error.ts'

// BAM, SAM specification section 4.2 (version of 2024-11). All numbers are little-endian.

/** Bytes from the start of a record to its read name: the length field and the fixed fields. */
export const RECORD_FIXED_BYTES = 36
/** Maximum bytes of a record. No sequencer produces larger ones, and a stated length cannot be trusted. */
const MAX_RECORD_BYTES = 256 * 1024 * 1024
/** Maximum size of a header in bytes. */
export const MAX_HEADER_BYTES = 256 * 1024 * 1024

/** Bytes of the smallest reference entry: two lengths and a NUL. It bounds what a stated count can allocate. */
const MIN_REFERENCE_BYTES = 9

const NEWLINE = 10
const AT = 0x40
const FLAG_UNMAPPED = 0x4
// Bit n is set if CIGAR operation n consumes the reference: M, D, N, = and X of MIDNSHP=X.
const CONSUMES_REFERENCE = 0b1_1000_1101
// Bit n is set if CIGAR operation n consumes the sequence: M, I, S, = and X.
const CONSUMES_SEQUENCE = 0b1_1001_0011

export interface BamHeader {
  /** The header text, as a view of the parsed bytes. It may end with NULs. */
  readonly text: Uint8Array
  readonly names: readonly string[]
  readonly lengths: Uint32Array
  /** Inflated bytes from the start of the file to the first record. */
  readonly byteLength: number
}

/** Returns whether a file that starts with these bytes is BAM. */
export function isBam(bytes: Uint8Array): boolean {
  const [b, a, m, version] = bytes
  return b === 0x42 && a === 0x41 && m === 0x4d && version === 1
}

/**
 * Parses the header. If there are too few bytes, returns the minimum number needed, so that a caller who reads
 * block by block neither parses too often nor reads beyond the header.
 * @throws FormatError if the bytes are not a BAM header
 */
export function parseHeader(bytes: Uint8Array): BamHeader | number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 12) return 12
  if (!isBam(bytes)) throw new FormatError('file is not BAM')
  const textLength = view.getInt32(4, true)
  if (textLength < 0 || textLength > MAX_HEADER_BYTES) {
    throw new FormatError(`header text length ${textLength} is impossible`)
  }
  if (bytes.length < 12 + textLength) return 12 + textLength
  const count = view.getInt32(8 + textLength, true)
  if (count < 0 || count > MAX_HEADER_BYTES / MIN_REFERENCE_BYTES) {
    throw new FormatError(`reference count ${count} is impossible`)
  }
  let at = 12 + textLength
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) return at + (count - i) * MIN_REFERENCE_BYTES
    const nameLength = view.getInt32(at, true)
    if (nameLength < 1 || nameLength > MAX_HEADER_BYTES) {
      throw new FormatError(`name length ${nameLength} of reference ${i} is impossible`)
    }
    if (at + 8 + nameLength > bytes.length) {
      return at + 8 + nameLength + (count - i - 1) * MIN_REFERENCE_BYTES
    }
    at += 8 + nameLength
  }
  const text = bytes.subarray(8, 8 + textLength)
  return { text, ...referencesIn(bytes, 12 + textLength, count), byteLength: at }
}

/** Returns the number of references that the header states. Undefined if the bytes end before it. */
export function referenceCount(bytes: Uint8Array): number | undefined {
  if (bytes.length < 12) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const textLength = view.getInt32(4, true)
  if (textLength < 0 || bytes.length < 12 + textLength) return undefined
  return view.getInt32(8 + textLength, true)
}

/** Returns the names and lengths of complete references. There may be millions, so they are parsed once. */
function referencesIn(bytes: Uint8Array, start: number, count: number) {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const names: string[] = []
  const lengths = new Uint32Array(count)
  let at = start
  for (let i = 0; i < count; i++) {
    const nameLength = all.readInt32LE(at)
    names.push(all.toString('utf8', at + 4, endOfName(all, at + 4, nameLength)))
    lengths[i] = all.readUInt32LE(at + 4 + nameLength)
    at += 8 + nameLength
  }
  return { names, lengths }
}

/** Returns the end of a name, which is at its first NUL. Like htslib, also accepts a name without NUL. */
function endOfName(bytes: Uint8Array, from: number, length: number): number {
  const nul = bytes.indexOf(0, from)
  return nul < 0 ? from + length : Math.min(nul, from + length)
}

/** Returns the bytes of a record's read name, which ends with NUL. Like htslib, accepts one without NUL. */
export function readName(bytes: Uint8Array, view: DataView, at: number): Uint8Array {
  const from = at + RECORD_FIXED_BYTES
  const to = from + view.getUint8(at + 12)
  return bytes.subarray(from, bytes[to - 1] === 0 ? to - 1 : to)
}

/** Returns the number of the first line of the header that does not start with `@`, or undefined. */
export function oddLine({ text }: Pick<BamHeader, 'text'>): number | undefined {
  const nul = text.indexOf(0)
  const end = nul < 0 ? text.length : nul
  let number = 1
  for (let at = 0; at < end; number++) {
    if (text[at] !== AT) return number
    const newline = text.indexOf(NEWLINE, at)
    at = newline < 0 ? end : newline + 1
  }
  return undefined
}

/** Returns the sort order that the header states (`@HD … SO:`), or undefined. */
export function sortOrder({ text }: BamHeader): string | undefined {
  const end = text.indexOf(NEWLINE)
  const first = new TextDecoder().decode(end < 0 ? text : text.subarray(0, end))
  return /^@HD\t(?:[^\n]*\t)?SO:([^\t\r\n\0]+)/.exec(first)?.[1]
}

/**
 * Returns the length of the record at `at` in bytes, including its length field.
 * @throws FormatError if the length is impossible
 */
export function recordLength(view: DataView, at: number): number {
  const length = view.getInt32(at, true)
  if (length < RECORD_FIXED_BYTES - 4 || length > MAX_RECORD_BYTES) {
    throw new FormatError(`record length ${length} is impossible`)
  }
  return length + 4
}

/** Returns the number of bytes from the start of a record to the end of its CIGAR. Needs the fixed fields. */
export function cigarEnd(view: DataView, at: number): number {
  return RECORD_FIXED_BYTES + view.getUint8(at + 12) + 4 * view.getUint16(at + 16, true)
}

export const recordReference = (view: DataView, at: number): number => view.getInt32(at + 4, true)
/** Returns whether the record has a read name. An empty name counts, because its final NUL is stored. */
export const hasName = (view: DataView, at: number): boolean => view.getUint8(at + 12) > 0
export const mateReference = (view: DataView, at: number): number => view.getInt32(at + 24, true)
/** Returns the 0-based leftmost position, or -1 if the record has none. */
export const recordStart = (view: DataView, at: number): number => view.getInt32(at + 8, true)

/**
 * Returns the 0-based exclusive end of the record on its reference, as htslib's bam_endpos does: gaps are
 * included, and a record that is unmapped or consumes no reference bases has a length of one base. The
 * placeholder CIGAR of a record with more than 65535 operations has the right reference length, so the CG field
 * is not needed. Needs the bytes up to the end of the CIGAR.
 */
export function recordEnd(view: DataView, at: number): number {
  const start = view.getInt32(at + 8, true)
  if (view.getUint16(at + 18, true) & FLAG_UNMAPPED) return start + 1
  let covered = 0
  const from = at + RECORD_FIXED_BYTES + view.getUint8(at + 12)
  const to = from + 4 * view.getUint16(at + 16, true)
  for (let op = from; op < to; op += 4) {
    const word = view.getUint32(op, true)
    if ((CONSUMES_REFERENCE >> (word & 15)) & 1) covered += word >>> 4
  }
  return start + (covered || 1)
}

/** Returns whether the record is flagged as unmapped. */
export const isUnmapped = (view: DataView, at: number): boolean =>
  (view.getUint16(at + 18, true) & FLAG_UNMAPPED) !== 0

/** Returns whether the record is flagged as mapped but has no position. samtools treats it as unmapped. */
export function lacksPosition(view: DataView, at: number): boolean {
  if (view.getUint16(at + 18, true) & FLAG_UNMAPPED) return false
  return recordReference(view, at) < 0 || recordStart(view, at) < 0
}

/**
 * Returns whether CIGAR and sequence have the same number of bases. True if one of them is missing or the record
 * is unmapped. htslib rejects other records (bam_read1). The placeholder CIGAR of a record with more than 65535
 * operations has the right number of bases. Needs the bytes up to the end of the CIGAR.
 */
export function hasFittingCigar(view: DataView, at: number): boolean {
  const operations = view.getUint16(at + 16, true)
  const bases = view.getInt32(at + 20, true)
  if (operations === 0 || bases === 0) return true
  if (view.getUint16(at + 18, true) & FLAG_UNMAPPED) return true
  let spelled = 0
  const from = at + RECORD_FIXED_BYTES + view.getUint8(at + 12)
  for (let op = from; op < from + 4 * operations; op += 4) {
    const word = view.getUint32(op, true)
    if ((CONSUMES_SEQUENCE >> (word & 15)) & 1) spelled += word >>> 4
  }
  return spelled === bases
}

/**
 * Checks that the fields of a record fit into its length.
 * @throws FormatError if name, CIGAR or sequence exceed it
 */
export function checkRecord(view: DataView, at: number, length: number): void {
  const bases = view.getInt32(at + 20, true)
  const needed = cigarEnd(view, at) + ((bases + 1) >> 1) + bases
  if (bases < 0 || needed > length) {
    throw new FormatError(`record of ${length} bytes is too short for its fields`)
  }
}

/**
 * Returns whether the bytes look like the fixed fields of a record whose name ends with NUL. Bytes inside a
 * record can look so too. Needs the fixed fields.
 */
export function seemsRecord(view: DataView, at: number, referenceCount: number): boolean {
  const length = view.getInt32(at, true) + 4
  const nameEnd = at + RECORD_FIXED_BYTES + view.getUint8(at + 12)
  const bases = view.getInt32(at + 20, true)
  return (
    length > RECORD_FIXED_BYTES &&
    length <= MAX_RECORD_BYTES &&
    isPlace(view, at + 4, referenceCount) &&
    isPlace(view, at + 24, referenceCount) &&
    bases >= 0 &&
    cigarEnd(view, at) + ((bases + 1) >> 1) + bases <= length &&
    nameEnd > at + RECORD_FIXED_BYTES &&
    (nameEnd > view.byteLength || view.getUint8(nameEnd - 1) === 0)
  )
}

/** Returns whether the bytes at this offset are a valid reference number and position. */
function isPlace(view: DataView, at: number, referenceCount: number): boolean {
  const reference = view.getInt32(at, true)
  return reference >= -1 && reference < referenceCount && view.getInt32(at + 4, true) >= -1
}
