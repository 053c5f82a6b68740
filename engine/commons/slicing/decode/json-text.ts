import { readName, recordEnd } from '../../../shared/formats/bam.ts'
import {
  type BamTag,
  cigarOf,
  eachTag,
  isFloat,
  numberAt,
  tagsStart,
  widthOfNumber,
} from '../../../shared/formats/bam-tags.ts'
import { printFloat } from '../../../shared/formats/print-number.ts'
import {
  nameBytes,
  type PackedNames,
  type RecordSpan,
  TextBuffer,
  writeCigar,
} from '../../../shared/formats/sam-text.ts'

/** Fields of a record under their SAM names. Values that SAM writes as `*` or as position 0 are null. */
export interface RecordFields {
  readonly qname: string | null
  readonly flag: number
  readonly rname: string | null
  /** First position, 1-based. */
  readonly pos: number | null
  /** Last position covered, 1-based and inclusive. */
  readonly end: number | null
  readonly mapq: number
  readonly cigar: string | null
  readonly rnext: string | null
  readonly pnext: number | null
  readonly tlen: number
  readonly seq: string | null
  /** Qualities as ASCII characters: Phred score plus 33. */
  readonly qual: string | null
  readonly tags: Readonly<Record<string, TagValue>>
}

type TagValue = number | string | readonly (number | string)[]

/**
 * Reads all fields of a record.
 * @throws FormatError if an optional field is truncated or of an unknown type
 */
export function readFields(record: RecordSpan, names: PackedNames): RecordFields {
  const { bytes, view, at, end } = record
  const bases = view.getInt32(at + 20, true)
  const qualities = tagsStart(view, at) - bases
  const cigar = cigarOf(bytes, view, at, end)
  const hasQualities = bases > 0 && bytes[qualities] !== 0xff
  const pos = positionOf(view.getInt32(at + 8, true))
  const name = textOf(readName(bytes, view, at))
  return {
    qname: name === '*' ? null : name,
    flag: view.getUint16(at + 18, true),
    rname: nameOf(names, view.getInt32(at + 4, true)),
    pos,
    end: pos === null ? null : recordEnd(view, at),
    mapq: view.getUint8(at + 13),
    cigar:
      cigar.count === 0
        ? null
        : drawn(12 * cigar.count, (out) => writeCigar(view, cigar.at, cigar.count, out)),
    rnext: nameOf(names, view.getInt32(at + 24, true)),
    pnext: positionOf(view.getInt32(at + 28, true)),
    tlen: view.getInt32(at + 32, true),
    seq:
      bases === 0
        ? null
        : drawn(bases, (out) =>
            out.bases(bytes.subarray(qualities - ((bases + 1) >> 1), qualities), bases),
          ),
    qual: hasQualities
      ? drawn(bases, (out) => out.qualities(bytes.subarray(qualities, qualities + bases)))
      : null,
    tags: tagsOf(record, cigar.tag),
  }
}

/** Writes a record as a JSON object. */
export function writeJson(record: RecordSpan, names: PackedNames, out: TextBuffer): void {
  out.text(JSON.stringify(readFields(record, names)))
}

const positionOf = (start: number) => (start < 0 ? null : start + 1)

const textOf = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()

function nameOf(names: PackedNames, reference: number): string | null {
  return reference < 0 ? null : textOf(nameBytes(names, reference))
}

function drawn(bytes: number, write: (out: TextBuffer) => void): string {
  const out = new TextBuffer(bytes + 1)
  write(out)
  return Buffer.from(out.take()).toString('latin1')
}

function tagsOf({ bytes, view, at, end }: RecordSpan, moved: BamTag | undefined) {
  const tags: Record<string, TagValue> = {}
  for (const tag of eachTag(bytes, tagsStart(view, at), end)) {
    if (tag.at === moved?.at) continue
    tags[textOf(bytes.subarray(tag.at, tag.at + 2))] = tagValue(bytes, view, tag)
  }
  return tags
}

function tagValue(bytes: Uint8Array, view: DataView, tag: BamTag): TagValue {
  const letter = String.fromCharCode(tag.type)
  if (letter === 'A' || letter === 'Z' || letter === 'H') {
    return textOf(bytes.subarray(tag.from, tag.to))
  }
  if (letter !== 'B') return numberOf(view, tag.type, tag.from)
  const width = widthOfNumber(tag.element)
  return Array.from({ length: tag.count }, (_, i) =>
    numberOf(view, tag.element, tag.from + i * width),
  )
}

/** Reads a number. NaN and infinities, which JSON lacks, become text. */
function numberOf(view: DataView, type: number, at: number): number | string {
  const value = numberAt(view, type, at)
  return isFloat(type) && !Number.isFinite(value) ? printFloat(value) : value
}
