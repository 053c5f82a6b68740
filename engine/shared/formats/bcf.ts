import { FormatError } from './format-error.ts'

// BCF 2.2, VCF specification section 6 (version of 2024-10). All numbers are little-endian. A record is
// two lengths (of what all samples share, and of what each has) and as many bytes.

/** Bytes from the start of a record to its identifiers: both lengths and the fixed fields. */
export const BCF_FIXED_BYTES = 32
/** Bytes of the fixed fields. */
const SHARED_LEAST = 24
const MAX_BCF_RECORD_BYTES = 256 * 1024 * 1024
/** Each number up to the greatest takes memory. */
const MAX_CONTIGS = 4_000_000
const MAX_BCF_HEADER_BYTES = 256 * 1024 * 1024

export interface BcfHeader {
  /** Names of contigs by their numbers; a number that no line has is an empty name. */
  readonly names: readonly string[]
  readonly samples: number
  /** Inflated bytes from the start of the file to the first record. */
  readonly byteLength: number
}

/** Whether a file that begins so is BCF of a version that is read. */
export function isBcf(bytes: Uint8Array): boolean {
  const [b, c, f, major] = bytes
  return b === 0x42 && c === 0x43 && f === 0x46 && major === 2
}

/**
 * Parses the header. When `bytes` end before it does, returns how many are needed.
 * @throws FormatError when the bytes are no BCF header
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

/** `IDX` says the number of a contig; without, they are numbered as they come. */
function contigsByNumber(lines: readonly string[]): string[] {
  const names: string[] = []
  const known = new Set<string>()
  for (const { name, number = names.length } of contigsOf(lines)) {
    if (known.has(name)) continue
    // Lines of others may have been removed since: the numbers stay.
    if (number > MAX_CONTIGS) {
      throw new FormatError(`number ${number} of contig "${name}" is above ${MAX_CONTIGS}`)
    }
    while (names.length < number) names.push('')
    names[number] = name
    known.add(name)
  }
  return names
}

/** The contigs that lines of a VCF header name. */
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
 * Bytes of the record that starts at `at`. Needs the fixed fields.
 * @throws FormatError when it cannot be a record of a file of so many samples
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
/** 0-based, -1 for what stands before the first base. */
export const bcfStart = (view: DataView, at: number): number => view.getInt32(at + 12, true)
const bcfSpan = (view: DataView, at: number): number => view.getInt32(at + 16, true)

/**
 * As `bcftools view -r` has it: what stands before the first base is in no region. Of a length below 0, which
 * writers have made of an END before POS, the length of REF counts; this needs all of the record.
 * @throws FormatError
 */
export function bcfEnd(view: DataView, at: number): number {
  const start = bcfStart(view, at)
  if (start < 0) return 0
  return start + (hasNoSpan(view, at) ? refLength(view, at) : bcfSpan(view, at))
}

/** Whether the length of a record is below 0. */
export const hasNoSpan = (view: DataView, at: number): boolean => bcfSpan(view, at) < 0

const TEXT = 7
/** Lengths of 15 and above stand in an integer of 1, 2 or 4 bytes of their own. */
const LONG_LENGTH = 15

/** The length of REF: the second text of a record, behind its ID. */
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

/** Whether the bytes look like the fixed fields of a record. Needs them. */
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
