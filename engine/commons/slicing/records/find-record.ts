import { recordLength, recordReference, recordStart } from '../../../shared/formats/bam.ts'
import { BCF_FIXED_BYTES, bcfLength, bcfReference, bcfStart } from '../../../shared/formats/bcf.ts'
import { placeLine } from '../../../shared/formats/tabix.ts'
import { LineNames } from './line-cursor.ts'
import type { LineFormat, RecordFormat } from './record-format.ts'

/** The first record at or after a position, searched from a record start at `from`. */
export interface SoughtRecord {
  readonly from: number
  readonly reference: number
  readonly position: number
}

/**
 * Returns the offset in a block's bytes of a record that is known to start there, or their end if it is not
 * found. A record that extends into the next block must be it, since nothing can follow.
 * @throws FormatError for bytes that are not a record
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
