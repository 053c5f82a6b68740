import { recordLength, recordReference, recordStart } from '../../../shared/formats/bam.ts'
import { BCF_FIXED_BYTES, bcfLength, bcfReference, bcfStart } from '../../../shared/formats/bcf.ts'
import { placeLine } from '../../../shared/formats/tabix.ts'
import { LineNames } from './line-cursor.ts'
import type { LineFormat, RecordFormat } from './record-format.ts'

/** The first record at or behind a position, from a record on that is known to start at `from`. */
export interface SoughtRecord {
  readonly from: number
  readonly reference: number
  readonly position: number
}

/**
 * Where in the bytes of a block a record starts that is known to be there; their end when it is not. The
 * one that reaches into the next block must be it: nothing can follow it here.
 * @throws FormatError for what is no record
 */
export function findRecord(format: RecordFormat, bytes: Uint8Array, sought: SoughtRecord): number {
  if (format.kind === 'lines') return findLine(format, bytes, sought)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = sought.from
  if (format.kind === 'BAM') {
    while (at + 12 <= bytes.length) {
      if (recordReference(view, at) !== sought.reference) return at
      if (recordStart(view, at) >= sought.position) return at
      at += recordLength(view, at)
    }
    return at
  }
  while (at + BCF_FIXED_BYTES <= bytes.length) {
    if (bcfReference(view, at) !== sought.reference) return at
    if (bcfStart(view, at) >= sought.position) return at
    at += bcfLength(view, at, format.samples)
  }
  return at
}

const NEWLINE = 10

function findLine(
  format: LineFormat,
  bytes: Uint8Array,
  { from, reference, position }: SoughtRecord,
): number {
  const names = new LineNames(format)
  const place = { nameFrom: 0, nameTo: 0, start: 0, end: 0 }
  let at = from
  while (at < bytes.length) {
    const end = bytes.indexOf(NEWLINE, at)
    if (end < 0) return at
    placeLine(bytes, at, end, format, place)
    if (names.numberOf(bytes, place) !== reference || place.start >= position) return at
    at = end + 1
  }
  return at
}
