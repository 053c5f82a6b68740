import { recordLength, recordReference, recordStart } from '../../../shared/formats/bam.ts'
import { BCF_FIXED_BYTES, bcfLength, bcfReference, bcfStart } from '../../../shared/formats/bcf.ts'
import { placeLine } from '../../../shared/formats/tabix.ts'
import { LineNames } from './line-cursor.ts'
import type { LineFormat, RecordFormat } from './record-format.ts'

/**
 * Describes the record to find: the first at or after a 0-based `position`. The search starts at a record on
 * `reference` and ends at the first record of another reference.
 */
export interface SoughtRecord {
  /** Offset of the record to start at in the inflated bytes. */
  readonly from: number
  readonly reference: number
  readonly position: number
}

/** Size in bytes of the fields at the start of a BAM record that are compared: length, reference and position. */
const BAM_COMPARED_BYTES = 12

/**
 * Returns the offset of the sought record within the block in which it must start. If the record is not there,
 * the offset is at or past the end of the bytes. If the fixed fields of the last record continue in the next
 * block, this record is returned without comparison, since no later record can start in the block.
 * @throws FormatError for bytes that are not a record
 */
export function findRecord(format: RecordFormat, bytes: Uint8Array, sought: SoughtRecord): number {
  if (format.kind === 'lines') return findLine(format, bytes, sought)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = sought.from
  if (format.kind === 'BAM') {
    while (at + BAM_COMPARED_BYTES <= bytes.length) {
      if (recordReference(view, at) !== sought.reference) return at
      if (recordStart(view, at) >= sought.position) return at
      at += recordLength(view, at)
    }
    return at
  }
  while (at + BCF_FIXED_BYTES <= bytes.length) {
    if (bcfReference(view, at) !== sought.reference) return at
    if (bcfStart(view, at) >= sought.position) return at
    at += bcfLength(view, at)
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
