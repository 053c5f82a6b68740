import { FormatError } from './format-error.ts'

// Lines of text with tabs between their columns, as the tabix index describes them (tabix
// specification, version of 2020-05; what it leaves open is as htslib 1.16 reads lines).

/** Which columns of a line say where it is. */
export interface LineLayout {
  readonly preset: 'generic' | 'VCF'
  /** Whether starts count from 0 and ends are exclusive, as in BED. */
  readonly isZeroBased: boolean
  /** Numbers of columns, from 1 on. */
  readonly nameColumn: number
  readonly startColumn: number
  /** The same as the start's where there is none. */
  readonly endColumn: number
  /** Byte with which lines begin that are no records. */
  readonly meta: number
  /** Lines at the beginning that are none either. */
  readonly skip: number
}

/** What a tabix index says besides its bins. */
export interface IndexedLines {
  readonly layout: LineLayout
  /** Names of references, by their numbers. */
  readonly names: readonly string[]
}

/** Bytes of the description before the names: seven numbers. */
const HEAD_BYTES = 28
const PRESETS = ['generic', 'SAM', 'VCF'] as const
const ZERO_BASED = 0x10000
const MAX_COLUMN = 1000

/**
 * Reads the description of columns and the names of references: of a TBI what follows its count of
 * references, of a CSI what it holds besides.
 * @returns the description and the bytes that it takes; nothing when there is none
 * @throws FormatError when it is impossible
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
    throw new FormatError(`index is of lines in the format ${format & 0xffff}, which are not read`)
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

/** The bytes that parseLines reads. */
export function packLines({ layout, names }: IndexedLines): Buffer {
  const { preset, isZeroBased, nameColumn, startColumn, endColumn, meta, skip } = layout
  const text = Buffer.from(names.map((name) => `${name}\0`).join(''))
  const format = PRESETS.indexOf(preset) | (isZeroBased ? ZERO_BASED : 0)
  // Where a record of VCF ends is in no column.
  const end = preset === 'VCF' ? 0 : endColumn
  const head = Buffer.alloc(HEAD_BYTES)
  const numbers = [format, nameColumn, startColumn, end, meta, skip, text.length]
  for (const [i, number] of numbers.entries()) head.writeInt32LE(number, 4 * i)
  return Buffer.concat([head, text])
}

/** Where a line is: its name as bytes from `nameFrom` to `nameTo`, and its interval, 0-based half-open. */
export interface LinePlace {
  nameFrom: number
  nameTo: number
  start: number
  end: number
}

export interface LineRule {
  readonly layout: LineLayout
  /** Of VCF: whether its header says that `END` is a number; bcftools uses no other. */
  readonly hasEnd: boolean
}

const TAB = 9
/** What is said of a line that tabix stops at. */
export const BETWEEN_RECORDS = 'a comment or an empty line stands between records'
/** bcftools takes a larger number for a missing one. */
const MAX_BCF_INTEGER = 2 ** 31 - 1
const VCF_REF = 4
const VCF_INFO = 8

/**
 * Reads where a line is. A VCF record is where `bcftools view -r` finds it, which is where tabix finds
 * it, too, and no longer than its header lets bcftools see.
 * @param from first byte of the line
 * @param to the byte behind its last
 * @throws FormatError when a column is missing or no number, or the end is before the start
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
  let stated = -1
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
      else if (column === VCF_INFO) stated = statedEnd(bytes, at, next)
    } else if (column === endColumn) {
      end = wholeNumber(bytes, at, next, to)
    }
    at = next + 1
  }
  if (place.nameFrom < 0 || place.nameTo === place.nameFrom || start < 0) {
    throw new FormatError('a line has too few columns')
  }
  if (isVcf) placeVariant(start - 1, bases, hasEnd, stated, place)
  else {
    place.start = isZeroBased ? start : Math.max(0, start - 1)
    place.end = end >= 0 ? end : isZeroBased ? start + 1 : Math.max(1, start)
    if (place.end < place.start) throw new FormatError('a line ends before it starts')
  }
}

/** Bytes that are looked at one by one; a search is faster only for more. */
const SHORT_COLUMN = 24

/** The tab behind a column, or the end of the line. */
function columnEnd(bytes: Uint8Array, from: number, to: number): number {
  const near = Math.min(from + SHORT_COLUMN, to)
  let at = from
  while (at < near && bytes[at] !== TAB) at++
  if (at < near || near === to) return at
  const next = bytes.indexOf(TAB, at)
  return next < 0 || next > to ? to : next
}

function placeVariant(
  start: number,
  bases: number,
  hasEnd: boolean,
  stated: number,
  place: LinePlace,
): void {
  if (bases === 0) throw new FormatError('a line has too few columns, or no REF')
  place.start = start
  if (start < 0) {
    // Telomeres, at position 0: in no region.
    place.end = 0
    return
  }
  const indexed = stated > start ? stated : start + bases
  const isRead = hasEnd && stated <= MAX_BCF_INTEGER
  place.end = isRead ? indexed : Math.min(indexed, start + bases)
}

const [ZERO, NINE, RETURN, SEMICOLON] = [0x30, 0x39, 0x0d, 0x3b]

function wholeNumber(bytes: Uint8Array, from: number, to: number, lineEnd: number): number {
  // A line may end as on other systems.
  const limit = to === lineEnd && bytes[to - 1] === RETURN ? to - 1 : to
  let value = 0
  for (let at = from; at < limit; at++) {
    const digit = bytes[at]!
    if (digit < ZERO || digit > NINE) throw new FormatError('a position is no whole number')
    value = 10 * value + digit - ZERO
  }
  // htslib takes a number with zeros in front for another one.
  const isPlain = limit > from && (bytes[from] !== ZERO || limit === from + 1)
  if (!isPlain || value > Number.MAX_SAFE_INTEGER) {
    throw new FormatError('a position is no whole number')
  }
  return value
}

const END_KEY_BYTES = 4

/** Whether `END=` stands there. */
const isEndKey = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0x45 && bytes[at + 1] === 0x4e && bytes[at + 2] === 0x44 && bytes[at + 3] === 0x3d

/** What INFO says by `END`, -1 for nothing. */
function statedEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at + END_KEY_BYTES < to; at++) {
    if (isEndKey(bytes, at)) return leadingNumber(bytes, at + END_KEY_BYTES, to)
    const next = bytes.indexOf(SEMICOLON, at)
    if (next < 0 || next >= to) return -1
    at = next
  }
  return -1
}

function leadingNumber(bytes: Uint8Array, from: number, to: number): number {
  let value = -1
  for (let at = from; at < to; at++) {
    const digit = bytes[at]!
    if (digit < ZERO || digit > NINE) break
    value = 10 * Math.max(value, 0) + digit - ZERO
  }
  return value
}
