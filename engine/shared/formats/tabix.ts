import { FIRST_SAMPLE } from './bcf.ts'
import { FormatError } from './format-error.ts'

// Tab-separated lines as the tabix index describes them (tabix specification, version of 2020-05). For cases
// that the specification leaves open, lines are read like htslib 1.16 reads them.

/** Columns that hold the position of a line. */
export interface LineLayout {
  readonly preset: 'generic' | 'VCF'
  /** Whether starts are 0-based and ends exclusive, as in BED. */
  readonly isZeroBased: boolean
  /** Column numbers, starting at 1. */
  readonly nameColumn: number
  readonly startColumn: number
  /** Column of the end. Equal to `startColumn` if lines have no end column. */
  readonly endColumn: number
  /** First byte of lines that are not records. */
  readonly meta: number
  /** Number of header lines to skip at the beginning. */
  readonly skip: number
}

/** Content of a tabix index except for its bins. */
export interface IndexedLines {
  readonly layout: LineLayout
  /** Reference names, indexed by number. */
  readonly names: readonly string[]
}

/** Bytes of the seven integers before the names. */
const HEAD_BYTES = 28
const PRESETS = ['generic', 'SAM', 'VCF'] as const
const ZERO_BASED = 0x10000
const MAX_COLUMN = 1000

/**
 * Parses the layout and the reference names, which follow the reference count in a TBI and are the auxiliary
 * data of a CSI.
 * @returns the layout and its size in bytes, or undefined if there is none
 * @throws FormatError if the layout is not possible
 */
export function parseLines(
  bytes: Uint8Array,
): { readonly lines: IndexedLines; readonly byteLength: number } | undefined {
  if (bytes.length < HEAD_BYTES) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [format = 0, nameColumn = 0, startColumn = 0, end = 0, meta = 0, skip = 0, length = 0] =
    Array.from({ length: 7 }, (_, i) => view.getInt32(4 * i, true))
  const preset = PRESETS[format & 0xffff]
  if (preset === undefined || preset === 'SAM') {
    throw new FormatError(
      `index is for lines in the format ${format & 0xffff}, which is not supported`,
    )
  }
  const columns = [nameColumn, startColumn, end]
  if (columns.some((column) => column < 0 || column > MAX_COLUMN) || !nameColumn || !startColumn) {
    throw new FormatError(`columns ${columns.join(', ')} of the index are impossible`)
  }
  if (length < 0 || HEAD_BYTES + length > bytes.length || skip < 0 || meta < 0 || meta > 255) {
    throw new FormatError('names of the index are cut off')
  }
  const text = new TextDecoder().decode(bytes.subarray(HEAD_BYTES, HEAD_BYTES + length))
  const names = text === '' ? [] : text.replace(/\0$/, '').split('\0')
  const layout: LineLayout = {
    preset,
    isZeroBased: (format & ZERO_BASED) !== 0,
    nameColumn,
    startColumn,
    endColumn: end === 0 ? startColumn : end,
    meta,
    skip,
  }
  return { lines: { layout, names }, byteLength: HEAD_BYTES + length }
}

/** Serializes layout and names in the form that parseLines reads. */
export function packLines({ layout, names }: IndexedLines): Buffer {
  const { preset, isZeroBased, nameColumn, startColumn, endColumn, meta, skip } = layout
  const text = Buffer.from(names.map((name) => `${name}\0`).join(''))
  const format = PRESETS.indexOf(preset) | (isZeroBased ? ZERO_BASED : 0)
  // VCF has no column for the end of a record.
  const end = preset === 'VCF' ? 0 : endColumn
  const head = Buffer.alloc(HEAD_BYTES)
  const numbers = [format, nameColumn, startColumn, end, meta, skip, text.length]
  for (const [i, number] of numbers.entries()) head.writeInt32LE(number, 4 * i)
  return Buffer.concat([head, text])
}

/** Position of a line: its reference name in the bytes [nameFrom, nameTo), and its 0-based half-open interval. */
export interface LinePlace {
  nameFrom: number
  nameTo: number
  start: number
  end: number
}

export interface LineRule {
  readonly layout: LineLayout
  /** For VCF: whether the header declares `END` as an integer. bcftools ignores other declarations. */
  readonly hasEnd: boolean
}

const TAB = 9
const NEWLINE = 10
const DOT = 0x2e
/** Message for a line that stops tabix. */
export const BETWEEN_RECORDS = 'a comment or an empty line stands between records'
/** bcftools treats larger integers as missing. */
const MAX_BCF_INTEGER = 2 ** 31 - 1
const VCF_REF = 4
const VCF_INFO = 8

/**
 * Reads the position of a line. For a VCF record, returns the interval in which both `bcftools view -r` and
 * tabix find it. An END that the header does not declare as an integer does not extend it, because bcftools
 * ignores it.
 * @param from offset of the first byte of the line
 * @param to end of the line, exclusive
 * @throws FormatError if a column is missing or not a number, or the end is before the start
 */
export function placeLine(
  bytes: Uint8Array,
  from: number,
  to: number,
  { layout, hasEnd }: LineRule,
  place: LinePlace,
): void {
  const { preset, nameColumn, startColumn, endColumn, isZeroBased, meta } = layout
  if (from === to || bytes[from] === meta) {
    throw new FormatError(BETWEEN_RECORDS)
  }
  const isVcf = preset === 'VCF'
  const last = isVcf ? VCF_INFO : Math.max(nameColumn, startColumn, endColumn)
  let start = -1
  let end = -1
  let bases = 0
  let infoFrom = to
  let infoTo = to
  place.nameFrom = -1
  let at = from
  for (let column = 1; column <= last && at <= to; column++) {
    const next = columnEnd(bytes, at, to)
    if (column === nameColumn) {
      place.nameFrom = at
      place.nameTo = next
    } else if (column === startColumn) {
      start = wholeNumber(bytes, at, next, to)
    } else if (isVcf) {
      if (column === VCF_REF) bases = next - at
      else if (column === VCF_INFO) {
        infoFrom = at
        infoTo = next
      }
    } else if (column === endColumn) {
      end = wholeNumber(bytes, at, next, to)
    }
    at = next + 1
  }
  if (place.nameFrom < 0 || place.nameTo === place.nameFrom || start < 0) {
    throw new FormatError('a line has too few columns')
  }
  if (isVcf) {
    placeVariant(start - 1, bases, place)
    const first = endOfInfo(bytes, infoFrom, infoTo)
    if (first >= 0 && start > 0) {
      const indexed = leadingNumber(bytes, first, infoTo, 'as C')
      const read = hasEnd ? readEnd(bytes, first, infoTo, place) : place.end
      place.end = Math.min(indexed >= start ? indexed : place.end, read)
    }
  } else {
    place.start = isZeroBased ? start : Math.max(0, start - 1)
    place.end = end >= 0 ? end : isZeroBased ? start + 1 : Math.max(1, start)
    if (place.end < place.start) throw new FormatError('a line ends before it starts')
  }
}

/**
 * Returns the number of samples that htslib finds in a VCF line. Undefined if FORMAT is `.`, because htslib then
 * treats all samples as missing.
 * @param to end of the line, exclusive, with or without its line break
 */
export function countSamples(bytes: Uint8Array, from: number, to: number): number | undefined {
  let end = to
  if (bytes[end - 1] === NEWLINE) end--
  if (bytes[end - 1] === RETURN) end--
  let at = from
  for (let column = 1; column < FIRST_SAMPLE; column++) at = columnEnd(bytes, at, end) + 1
  if (at + 1 < end && bytes[at] === DOT && bytes[at + 1] === TAB) return undefined
  let samples = 0
  for (; at < end; at++) if (bytes[at] === TAB) samples++
  // If nothing follows the last tab, there is no sample after it.
  return bytes[end - 1] === TAB && samples > 0 ? samples - 1 : samples
}

/** Number of bytes to scan one by one, because indexOf is faster only for longer columns. */
const SHORT_COLUMN = 24

/** Returns the offset of the tab after a column, or the end of the line. */
function columnEnd(bytes: Uint8Array, from: number, to: number): number {
  const near = Math.min(from + SHORT_COLUMN, to)
  let at = from
  while (at < near && bytes[at] !== TAB) at++
  if (at < near || near === to) return at
  const next = bytes.indexOf(TAB, at)
  return next < 0 || next > to ? to : next
}

function placeVariant(start: number, bases: number, place: LinePlace): void {
  if (bases === 0) throw new FormatError('a line has too few columns, or no REF')
  place.start = start
  // A telomere, at POS 0, is in no region.
  place.end = start < 0 ? 0 : start + bases
}

const [ZERO, NINE, RETURN, SEMICOLON, COMMA, PLUS] = [0x30, 0x39, 0x0d, 0x3b, 0x2c, 0x2b]

function wholeNumber(bytes: Uint8Array, from: number, to: number, lineEnd: number): number {
  // The line may end with CRLF.
  const limit = to === lineEnd && bytes[to - 1] === RETURN ? to - 1 : to
  let value = 0
  for (let at = from; at < limit; at++) {
    const digit = bytes[at]!
    if (digit < ZERO || digit > NINE) throw new FormatError('a position is no whole number')
    value = 10 * value + digit - ZERO
  }
  // htslib reads numbers with leading zeros differently.
  const isPlain = limit > from && (bytes[from] !== ZERO || limit === from + 1)
  if (!isPlain || value > Number.MAX_SAFE_INTEGER) {
    throw new FormatError('a position is no whole number')
  }
  return value
}

const END_KEY_BYTES = 4

/** Returns whether the bytes at this offset are `END=`. */
const isEndKey = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0x45 && bytes[at + 1] === 0x4e && bytes[at + 2] === 0x44 && bytes[at + 3] === 0x3d

/** Returns the offset of the value of the first INFO/END, which is the one that tabix reads. -1 if there is none. */
function endOfInfo(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at + END_KEY_BYTES < to; at++) {
    if (isEndKey(bytes, at)) return at + END_KEY_BYTES
    const next = bytes.indexOf(SEMICOLON, at)
    if (next < 0 || next >= to) return -1
    at = next
  }
  return -1
}

/** Returns the end as bcftools reads it: from the last INFO/END whose value is a single number after the start. */
function readEnd(bytes: Uint8Array, first: number, to: number, { start, end }: LinePlace): number {
  let read = end
  for (let at = first; at >= 0; ) {
    let next = at
    let isList = false
    for (; next < to && bytes[next] !== SEMICOLON; next++) {
      if (bytes[next] === COMMA) isList = true
    }
    const value = isList ? -1 : leadingNumber(bytes, at, next)
    if (value > start && value <= MAX_BCF_INTEGER) read = value
    at = endOfInfo(bytes, next + 1, to)
  }
  return read
}

/** Returns the number at the start of a value, or -1. As in tabix, a leading zero means octal. */
function leadingNumber(bytes: Uint8Array, from: number, to: number, form?: 'as C'): number {
  const first = bytes[from] === PLUS ? from + 1 : from
  const base = form === 'as C' && bytes[first] === ZERO ? 8 : 10
  let value = -1
  for (let at = first; at < to; at++) {
    const digit = bytes[at]! - ZERO
    if (digit < 0 || digit >= base) break
    value = base * Math.max(value, 0) + digit
  }
  return value
}
