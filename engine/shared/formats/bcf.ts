import { FormatError } from './format-error.ts'

// BCF 2.2, VCF specification section 6 (version of 2024-10). All numbers are little-endian. A record has two
// lengths (of the shared fields and of the sample fields), followed by the fields.

/** Bytes from the start of a record to its ID: both lengths and the fixed fields. */
export const BCF_FIXED_BYTES = 32
/** Bytes of the fixed fields. */
const SHARED_LEAST = 24
const MAX_BCF_RECORD_BYTES = 256 * 1024 * 1024
/** Largest accepted contig number. Every number up to the largest one takes memory. */
const MAX_CONTIGS = 4_000_000
const MAX_BCF_HEADER_BYTES = 256 * 1024 * 1024

interface BcfHeader {
  /** Contig names, indexed by number. Unused numbers have an empty name. */
  readonly names: readonly string[]
  readonly samples: number
  /** Inflated bytes from the start of the file to the first record. */
  readonly byteLength: number
}

/** Returns whether a file that starts with these bytes is BCF of a supported version. */
export function isBcf(bytes: Uint8Array): boolean {
  const [b, c, f, major] = bytes
  return b === 0x42 && c === 0x43 && f === 0x46 && major === 2
}

/**
 * Parses the header. If `bytes` are too few, returns the number that is needed.
 * @throws FormatError if the bytes are not a BCF header
 */
export function parseBcfHeader(bytes: Uint8Array): BcfHeader | number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 9) return 9
  if (!isBcf(bytes)) throw new FormatError('file is not BCF')
  const length = view.getUint32(5, true)
  if (length > MAX_BCF_HEADER_BYTES) throw new FormatError(`header length ${length} is impossible`)
  if (bytes.length < 9 + length) return 9 + length
  const text = new TextDecoder().decode(bytes.subarray(9, 9 + length)).replace(/\0+$/, '')
  const lines = text.split('\n')
  const titles = lines.find((line) => line.startsWith('#CHROM\t'))
  if (titles === undefined) throw new FormatError('header has no line of column names')
  const samples = Math.max(0, titles.split('\t').length - 9)
  return { names: contigsByNumber(lines), samples, byteLength: 9 + length }
}

/**
 * Returns contig names, indexed by number. `IDX` gives the number; without it contigs are numbered in file
 * order.
 */
function contigsByNumber(lines: readonly string[]): string[] {
  const names: string[] = []
  const known = new Set<string>()
  for (const { name, number = names.length } of contigsOf(lines)) {
    if (known.has(name)) continue
    // Numbers may have gaps, because other contig lines may have been removed.
    if (number > MAX_CONTIGS) {
      throw new FormatError(`number ${number} of contig "${name}" is above ${MAX_CONTIGS}`)
    }
    while (names.length < number) names.push('')
    names[number] = name
    known.add(name)
  }
  return names
}

/** Yields the contigs of the lines of a VCF header. */
export function* contigsOf(
  lines: Iterable<string>,
): Generator<{ readonly name: string; readonly number: number | undefined }> {
  for (const line of lines) {
    if (!line.startsWith('##contig=<')) continue
    const name = /[<,]ID=([^,>]+)/.exec(line)?.[1]
    const number = /,IDX=(\d+)[,>]/.exec(line)?.[1]
    if (name !== undefined)
      yield { name, number: number === undefined ? undefined : Number(number) }
  }
}

/**
 * Returns the length of the record at `at` in bytes. Needs the fixed fields.
 * @throws FormatError if the length is impossible or the number of samples is not that of the header
 */
export function bcfLength(view: DataView, at: number, samples: number): number {
  const shared = view.getUint32(at, true)
  const length = shared + view.getUint32(at + 4, true) + 8
  if (shared < SHARED_LEAST || length > MAX_BCF_RECORD_BYTES) {
    throw new FormatError(`record length ${length} is impossible`)
  }
  const its = view.getUint32(at + 28, true) & 0xffffff
  if (its !== samples && length > shared + 8) {
    throw new FormatError(`record of ${its} samples; the header names ${samples}`)
  }
  return length
}

export const bcfReference = (view: DataView, at: number): number => view.getInt32(at + 8, true)
/** Returns the 0-based start, or -1 if the record is before the first base. */
export const bcfStart = (view: DataView, at: number): number => view.getInt32(at + 12, true)
const bcfSpan = (view: DataView, at: number): number => view.getInt32(at + 16, true)

/**
 * Returns the 0-based exclusive end, as `bcftools view -r` uses it: a record before the first base is in no
 * region. If the length is negative, which some writers produce for an END before POS, the length of REF is
 * used; that needs the whole record.
 * @throws FormatError
 */
export function bcfEnd(view: DataView, at: number): number {
  const start = bcfStart(view, at)
  if (start < 0) return 0
  return start + (hasNoSpan(view, at) ? refLength(view, at) : bcfSpan(view, at))
}

/** Returns whether the record has a negative length. */
export const hasNoSpan = (view: DataView, at: number): boolean => bcfSpan(view, at) < 0

const TEXT = 7
/** Lengths of 15 and more follow in an integer of 1, 2 or 4 bytes. */
const LONG_LENGTH = 15

/** Returns the length of REF, the second text of a record after its ID. */
function refLength(view: DataView, at: number): number {
  const id = textAt(view, at + BCF_FIXED_BYTES)
  return textAt(view, id.end).length
}

function textAt(view: DataView, at: number): { readonly length: number; readonly end: number } {
  try {
    const type = view.getUint8(at)
    if ((type & 15) !== TEXT && type !== 0) throw new FormatError('record without a REF')
    if (type >> 4 < LONG_LENGTH) return { length: type >> 4, end: at + 1 + (type >> 4) }
    const width = 2 ** ((view.getUint8(at + 1) & 15) - 1)
    const length =
      width === 1
        ? view.getInt8(at + 2)
        : width === 2
          ? view.getInt16(at + 2, true)
          : view.getInt32(at + 2, true)
    if (length < 0) throw new FormatError('text of a record has a length below 0')
    return { length, end: at + 2 + width + length }
  } catch (cause) {
    if (cause instanceof RangeError) throw new FormatError('record is cut off in REF', { cause })
    throw cause
  }
}

/** Returns whether the bytes look like the fixed fields of a record. Needs the fixed fields. */
export function seemsBcf(view: DataView, at: number, names: number, samples: number): boolean {
  const reference = bcfReference(view, at)
  const shared = view.getUint32(at, true)
  const length = shared + view.getUint32(at + 4, true) + 8
  return (
    shared >= SHARED_LEAST &&
    length <= MAX_BCF_RECORD_BYTES &&
    reference >= 0 &&
    reference < names &&
    bcfStart(view, at) >= -1 &&
    (view.getUint32(at + 28, true) & 0xffffff) === samples
  )
}
