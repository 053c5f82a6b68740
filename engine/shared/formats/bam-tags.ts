import { FormatError } from './format-error.ts'

// Optional fields (SAM specification section 4.2.4). htslib also reads and writes the type `d`, a double.

/** Location of an optional field in the bytes of a record. */
export interface BamTag {
  /** Offset of the two-letter tag. */
  readonly at: number
  /** Character code of the type. */
  readonly type: number
  /** Character code of the element type, for an array. */
  readonly element: number
  /** Number of elements of an array. 1 for any other type. */
  readonly count: number
  /** Offset of the value: the first element of an array, the first byte of a text. */
  readonly from: number
  /** End of the value (exclusive). For a text, the offset of its NUL. */
  readonly to: number
}

/** Value widths in bytes, keyed by type letter. Texts and arrays have no fixed width. */
const WIDTHS: Readonly<Record<string, number>> = {
  A: 1,
  c: 1,
  C: 1,
  s: 2,
  S: 2,
  i: 4,
  I: 4,
  f: 4,
  d: 8,
}

const widthOf = (code: number) => WIDTHS[String.fromCharCode(code)]

/** Character codes of field types. */
const LETTER = { A: 0x41, B: 0x42, H: 0x48, I: 0x49, Z: 0x5a, d: 0x64, f: 0x66, i: 0x69 } as const

/** Character codes of the tag CG. */
const CG = [0x43, 0x47] as const

/** Size in bytes of the smallest field: two letters, a type and one byte. */
const LEAST_BYTES = 4
/** Texts up to this length are scanned byte by byte, because indexOf is faster only for longer texts. */
const SHORT_TEXT = 24

/** Value widths in bytes, keyed by type code. 0 for types without a fixed width. */
const WIDTH_BY_CODE = Uint8Array.from({ length: 256 }, (_, code) => widthOf(code) ?? 0)

/**
 * Checks the optional fields in [start, end). Accepts the same as `eachTag` below, but allocates no memory per
 * field. Returns the first problem, or undefined if there is none.
 */
export function tagsFlaw(bytes: Uint8Array, start: number, end: number): string | undefined {
  for (let at = start; at + LEAST_BYTES <= end; ) {
    const type = bytes[at + 2]!
    const width = WIDTH_BY_CODE[type]!
    if (width > 0) at += 3 + width
    else if (type === LETTER.Z || type === LETTER.H) at = endOfText(bytes, at + 3, end)
    else if (type === LETTER.B) at = endOfArray(bytes, at, end)
    else return `type with code ${type} of an optional field is unknown`
    if (at > end) return 'an optional field is cut off, or longer than its record'
  }
  return undefined
}

/** Returns the offset after the NUL of the text at `from`, or above `end` if no NUL comes before that. */
function endOfText(bytes: Uint8Array, from: number, end: number): number {
  const near = Math.min(from + SHORT_TEXT, end)
  for (let at = from; at < near; at++) if (bytes[at] === 0) return at + 1
  const to = bytes.indexOf(0, near)
  return to === -1 ? Number.POSITIVE_INFINITY : to + 1
}

/** Returns the offset after the array field at `at`. Infinity if the field is truncated or has unknown elements. */
function endOfArray(bytes: Uint8Array, at: number, end: number): number {
  const element = bytes[at + 3]!
  const width = WIDTH_BY_CODE[element]!
  const isElement = width > 0 && element !== LETTER.A && element !== LETTER.d
  if (at + 8 > end || !isElement) return Number.POSITIVE_INFINITY
  const [a, b, c, d] = [bytes[at + 4]!, bytes[at + 5]!, bytes[at + 6]!, bytes[at + 7]!]
  return at + 8 + width * ((a | (b << 8) | (c << 16) | (d << 24)) >>> 0)
}

/**
 * Yields the optional fields in [start, end).
 * @throws FormatError if a field exceeds `end` or has an unknown type
 */
export function* eachTag(bytes: Uint8Array, start: number, end: number): Generator<BamTag> {
  // Like htslib, this ignores trailing bytes that are too few for a field.
  for (let at = start; at + LEAST_BYTES <= end; ) {
    const tag = tagAt(bytes, at, end)
    yield tag
    at = tag.type === LETTER.Z || tag.type === LETTER.H ? tag.to + 1 : tag.to
  }
}

function tagAt(bytes: Uint8Array, at: number, end: number): BamTag {
  const type = bytes[at + 2]!
  const from = at + 3
  if (type === LETTER.Z || type === LETTER.H) {
    const to = bytes.indexOf(0, from)
    if (to === -1 || to >= end) throw new FormatError('text of an optional field does not end')
    return { at, type, element: 0, count: 1, from, to }
  }
  if (type === LETTER.B) return arrayAt(bytes, at, end)
  const width = widthOf(type)
  if (width === undefined || from + width > end) throw unknownType(type)
  return { at, type, element: 0, count: 1, from, to: from + width }
}

function arrayAt(bytes: Uint8Array, at: number, end: number): BamTag {
  if (at + 8 > end) throw new FormatError('array of an optional field is cut off')
  const element = bytes[at + 3]!
  const width = widthOf(element)
  if (width === undefined || element === LETTER.A || element === LETTER.d) {
    throw unknownType(element)
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const count = view.getUint32(at + 4, true)
  const from = at + 8
  const to = from + width * count
  if (to > end) throw new FormatError(`array of ${count} in an optional field is cut off`)
  return { at, type: LETTER.B, element, count, from, to }
}

function unknownType(code: number): FormatError {
  return new FormatError(
    `type with code ${code} of an optional field is unknown, or the field is cut off`,
  )
}

/** Reads the number of the given type, a character code, at an offset in the view. */
export const numberAt = (view: DataView, type: number, at: number): number => {
  switch (String.fromCharCode(type)) {
    case 'c':
      return view.getInt8(at)
    case 'C':
      return view.getUint8(at)
    case 's':
      return view.getInt16(at, true)
    case 'S':
      return view.getUint16(at, true)
    case 'i':
      return view.getInt32(at, true)
    case 'I':
      return view.getUint32(at, true)
    case 'f':
      return view.getFloat32(at, true)
    default:
      return view.getFloat64(at, true)
  }
}

/** Returns whether a type, a character code, is a floating-point type. */
export const isFloat = (type: number): boolean => type === LETTER.f || type === LETTER.d

/** Returns the width of a number in bytes. All types that eachTag yields have a width, so the 1 is never used. */
export const widthOfNumber = (type: number): number => widthOf(type) ?? 1

/** A CIGAR. If it has more than 65535 operations, it is stored in an optional field, whose name is `tag`. */
interface BamCigar {
  /** Offset of the first operation. */
  readonly at: number
  readonly count: number
  readonly tag: BamTag | undefined
}

// Offsets from block_size (SAM specification section 4.2): reference 4, position 8, length of the name 12,
// number of operations 16, number of bases 20, name 36. The operations follow the name, 4 bytes each.

const SOFT_CLIP = 4
/** htslib ignores a CG field with this many operations or more. */
const MAX_OPERATIONS = 2 ** 29

/**
 * Returns the CIGAR of the record whose block_size is at `at`. If the record has the placeholder CIGAR, returns
 * the one in the CG field (SAM specification section 4.2.2), under the same conditions as htslib.
 * @throws FormatError like eachTag
 */
export function cigarOf(bytes: Uint8Array, view: DataView, at: number, end: number): BamCigar {
  const count = view.getUint16(at + 16, true)
  const own = { at: at + 36 + view.getUint8(at + 12), count, tag: undefined }
  const bases = view.getInt32(at + 20, true)
  if (count === 0 || view.getInt32(at + 4, true) < 0 || view.getInt32(at + 8, true) < 0) return own
  const first = view.getUint32(own.at, true)
  if ((first & 15) !== SOFT_CLIP || first >>> 4 !== bases) return own
  for (const tag of eachTag(bytes, tagsStart(view, at), end)) {
    const isCg = bytes[tag.at] === CG[0] && bytes[tag.at + 1] === CG[1]
    if (!isCg) continue
    const isArray = tag.type === LETTER.B && (tag.element === LETTER.I || tag.element === LETTER.i)
    if (!isArray || tag.count < count || tag.count >= MAX_OPERATIONS) return own
    return { at: tag.from, count: tag.count, tag }
  }
  return own
}

/** Returns the offset of the optional fields of the record whose block_size is at `at`. */
export function tagsStart(view: DataView, at: number): number {
  const bases = view.getInt32(at + 20, true)
  const cigarBytes = 4 * view.getUint16(at + 16, true)
  return at + 36 + view.getUint8(at + 12) + cigarBytes + ((bases + 1) >> 1) + bases
}
