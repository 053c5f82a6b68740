import { FormatError } from './format-error.ts'

// BCF 2.2, VCF specification section 6 (version of 2024-10). All numbers are little-endian. A record has two
// lengths (of the shared fields and of the sample fields), followed by the fields.

/** Bytes from the start of a record to its ID: the two lengths and the fixed fields. */
export const BCF_FIXED_BYTES = 32
/** Bytes of the fixed fields. */
const SHARED_LEAST = 24
const MAX_BCF_RECORD_BYTES = 256 * 1024 * 1024
/** Maximum number of a name. Each number up to the highest one takes memory. */
const MAX_NUMBER = 4_000_000
const MAX_BCF_HEADER_BYTES = 256 * 1024 * 1024

interface BcfHeader {
  /** Contig names, indexed by number. Unused numbers have an empty name. */
  readonly names: readonly string[]
  readonly samples: number
  readonly known: KnownNumbers
  /** Reason for which htslib refuses the header, if any. */
  readonly flaw: string | undefined
  /** Inflated bytes from the start of the file to the first record. */
  readonly byteLength: number
}

/** Numbers that the header defines: 1 at the index of each of them. */
export interface KnownNumbers {
  readonly contigs: Uint8Array
  /** Numbers of filters, INFO fields and FORMAT fields, which share one numbering. */
  readonly fields: Uint8Array
}

/** Returns whether a file that starts with these bytes is BCF of a supported version. */
export function isBcf(bytes: Uint8Array): boolean {
  const [b, c, f, major] = bytes
  return b === 0x42 && c === 0x43 && f === 0x46 && major === 2
}

/**
 * Parses the header. If there are too few bytes, returns the number needed.
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
  const titles = lines.find((line) => /^#CHROM[\t ]/.test(line))
  if (titles === undefined) throw new FormatError('header has no line of column names')
  const contigs = byNumber([], contigsOf(lines))
  const fields = byNumber(['PASS'], numberedOf(lines, /^##(?:FILTER|INFO|FORMAT)=</))
  return {
    names: contigs.names,
    samples: Math.max(0, titles.split('\t').length - FIRST_SAMPLE),
    known: { contigs: isNamed(contigs.names), fields: isNamed(fields.names) },
    flaw: titlesFlaw(titles) ?? contigs.flaw ?? fields.flaw,
    byteLength: 9 + length,
  }
}

const isNamed = (names: readonly string[]) => Uint8Array.from(names, (name) => Number(name !== ''))

const TITLES = '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO'
/** Number of columns before the sample columns. */
export const FIRST_SAMPLE = 9

/** Returns why htslib rejects a line of column names. Undefined if it accepts the line. */
export function titlesFlaw(line: string): string | undefined {
  if (line === TITLES) return undefined
  if (!line.startsWith(`${TITLES}\tFORMAT\t`)) {
    return 'its line #CHROM has other titles than VCF, or other bytes than tabs between them or behind the last'
  }
  const samples = line.split('\t').slice(FIRST_SAMPLE)
  if (samples.includes('')) return 'its line #CHROM has a sample without a name'
  const twice = samples.length > new Set(samples).size
  return twice ? 'its line #CHROM names a sample twice' : undefined
}

interface Numbered {
  readonly name: string
  /** Number in the line's `IDX`. */
  readonly number: number | undefined
}

/**
 * Returns names, indexed by number. `IDX` gives the number. Without it, names are numbered in file order, and a
 * name with several lines has the number of the first.
 */
function byNumber(names: string[], all: Iterable<Numbered>) {
  const known = new Set(names)
  let flaw: string | undefined
  for (const { name, number = names.length } of all) {
    if (known.has(name)) continue
    // Numbers may have gaps, because some lines may have been removed.
    if (number > MAX_NUMBER) {
      throw new FormatError(`number ${number} of "${name}" is above ${MAX_NUMBER}`)
    }
    while (names.length < number) names.push('')
    if (names[number]) flaw ??= `its header has the IDX ${number} twice`
    names[number] = name
    known.add(name)
  }
  return { names, flaw }
}

/** Yields the contigs of the lines of a VCF header. */
export const contigsOf = (lines: Iterable<string>): Generator<Numbered> =>
  numberedOf(lines, /^##contig=</)

const QUOTED = /"(?:\\.|[^"\\])*"/g

function* numberedOf(lines: Iterable<string>, beginning: RegExp): Generator<Numbered> {
  for (const line of lines) {
    if (!beginning.test(line)) continue
    const name = /[<,]ID=([^,>]+)/.exec(line)?.[1]
    const number = /,IDX=(\d+)[,>]/.exec(line.replace(QUOTED, ''))?.[1]
    if (name !== undefined)
      yield { name, number: number === undefined ? undefined : Number(number) }
  }
}

/**
 * Returns the length of the record at `at` in bytes. Needs the fixed fields.
 * @throws FormatError if the length is impossible
 */
export function bcfLength(view: DataView, at: number): number {
  const shared = view.getUint32(at, true)
  const length = shared + view.getUint32(at + 4, true) + 8
  if (shared < SHARED_LEAST || length > MAX_BCF_RECORD_BYTES) {
    throw new FormatError(`record length ${length} is impossible`)
  }
  return length
}

const bcfSamples = (view: DataView, at: number): number => view.getUint32(at + 28, true) & 0xffffff
export const bcfReference = (view: DataView, at: number): number => view.getInt32(at + 8, true)
/** Returns the 0-based start, or -1 if the record is before the first base. */
export const bcfStart = (view: DataView, at: number): number => view.getInt32(at + 12, true)
const bcfSpan = (view: DataView, at: number): number => view.getInt32(at + 16, true)

/**
 * Returns the 0-based exclusive end, as `bcftools view -r` uses it. A record before the first base is in no
 * region. If the length is negative, which some writers produce for an END before POS, the length of REF is
 * used, which requires the bytes of the whole record.
 * @throws FormatError if a record without a valid length has no REF
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
    const length = integer(view, at + 2, width)
    if (length < 0) throw new FormatError('text of a record has a length below 0')
    return { length, end: at + 2 + width + length }
  } catch (cause) {
    if (cause instanceof RangeError) throw new FormatError('record is cut off in REF', { cause })
    throw cause
  }
}

/** Returns why htslib's `bcf_record_check` refuses a record, or undefined. Needs the whole record. */
export function bcfFlaw(
  view: DataView,
  at: number,
  { samples, known }: Pick<BcfHeader, 'samples' | 'known'>,
): string | undefined {
  const its = bcfSamples(view, at)
  if (its !== samples) return `a record has ${its} samples, and the header names ${samples}`
  const contig = bcfReference(view, at)
  if (!known.contigs[contig]) return `contig number ${contig} of a record is not in the header`
  const sharedEnd = at + 8 + view.getUint32(at, true)
  const shared = new TypedValues(view, at + BCF_FIXED_BYTES, sharedEnd)
  const alleles = view.getUint16(at + 26, true)
  if (alleles === 0) return 'a record has no REF'
  for (let i = 0; i <= alleles; i++) {
    if (!shared.next()) return CUT_OFF
    if (shared.type !== TEXT) return 'ID, REF or ALT of a record is no text'
  }
  if (!shared.next()) return CUT_OFF
  if (shared.count > 0) {
    if (!isInteger(shared.type)) return 'FILTER of a record is no number'
    for (let i = 0; i < shared.count; i++) {
      if (!known.fields[shared.integerAt(i)]) return UNKNOWN_FIELD
    }
  }
  const infos = view.getUint16(at + 24, true)
  const flaw = fieldsFlaw(shared, infos, 1, known)
  // Some writers state a number of FORMAT fields although there are none. htslib ignores it.
  const sampleBytes = view.getUint32(at + 4, true)
  if (flaw !== undefined || sampleBytes === 0 || samples === 0) return flaw
  const own = new TypedValues(view, sharedEnd, sharedEnd + sampleBytes)
  return fieldsFlaw(own, view.getUint8(at + 31), samples, known)
}

const CUT_OFF = 'a field of a record reaches over its end'
const UNKNOWN_FIELD = 'a record has a filter, INFO or FORMAT field that is not in the header'

/** @param samples number of vectors of each field */
function fieldsFlaw(
  values: TypedValues,
  fields: number,
  samples: number,
  known: KnownNumbers,
): string | undefined {
  for (let i = 0; i < fields; i++) {
    if (!values.next() || values.count < 1 || !isInteger(values.type)) return CUT_OFF
    if (!known.fields[values.integerAt(0)]) return UNKNOWN_FIELD
    if (!values.next(samples)) return CUT_OFF
    const { type } = values
    if (!isInteger(type) && type !== FLOAT && type !== TEXT && type !== NULL) {
      return `type ${type} of an INFO or FORMAT field is unknown`
    }
  }
  return undefined
}

const [NULL, FLOAT] = [0, 5]
/** Bytes per value of each type: none, integers of 8 to 64 bits, float, unused, text. */
const WIDTHS = [1, 1, 2, 4, 8, 4, 1, 1]
const isInteger = (type: number) => type >= 1 && type <= 3

/** Walks over the vectors of typed values of a record (VCF specification 6.3.3). */
class TypedValues {
  readonly #view: DataView
  readonly #end: number
  #at: number
  #values = 0
  type = 0
  count = 0

  constructor(view: DataView, at: number, end: number) {
    this.#view = view
    this.#at = at
    this.#end = end
  }

  /** Moves to the next vector, or to one vector for each sample. Returns false if it extends beyond the end. */
  next(samples = 1): boolean {
    if (this.#at >= this.#end) return false
    const head = this.#view.getUint8(this.#at++)
    this.type = head & 15
    this.count = head >> 4
    if (this.count === LONG_LENGTH) {
      if (this.#at >= this.#end) return false
      const type = this.#view.getUint8(this.#at++) & 15
      const width = WIDTHS[type] ?? 1
      if (!isInteger(type) || this.#at + width > this.#end) return false
      this.count = integer(this.#view, this.#at, width)
      this.#at += width
      if (this.count < 0) return false
    }
    this.#values = this.#at
    this.#at += this.count * (WIDTHS[this.type] ?? 1) * samples
    return this.#at <= this.#end
  }

  /** Returns a whole number of the vector. */
  integerAt(i: number): number {
    const width = WIDTHS[this.type] ?? 1
    return integer(this.#view, this.#values + i * width, width)
  }
}

function integer(view: DataView, at: number, width: number): number {
  if (width === 1) return view.getInt8(at)
  return width === 2 ? view.getInt16(at, true) : view.getInt32(at, true)
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
    bcfSamples(view, at) === samples
  )
}
