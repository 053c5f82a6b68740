import { unzip } from '@gmod/bgzf-filehandle'
import { EngineError } from '../../../shared/errors.ts'
import { checkRecord, recordLength } from '../../../shared/formats/bam.ts'
import { plainBlocks } from '../../../shared/formats/bgzf.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import type { RecordSpan } from '../../../shared/formats/sam-text.ts'

/** A part of a slice's records. */
export interface RecordBytes {
  /** Whole blocks that have been verified. Their checksums are not verified again when they are inflated (ADR 99). */
  readonly blocks: Uint8Array
  /** First bytes of a record that continues in these blocks. */
  readonly rest: Uint8Array
}

/**
 * Calls `visit` for each complete record in order. Returns the bytes of an incomplete last record. Stops when
 * `visit` returns false.
 * @throws EngineError corrupt_source for a record with an impossible length
 */
export async function walkRecords(
  { blocks, rest }: RecordBytes,
  referenceCount: number,
  visit: (record: RecordSpan) => boolean,
): Promise<Uint8Array<ArrayBuffer>> {
  const inflated = blocks.length === 0 ? new Uint8Array(0) : await unzip(plainBlocks(blocks))
  const bytes = rest.length === 0 ? inflated : Buffer.concat([rest, inflated])
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  try {
    while (at + 4 <= bytes.length) {
      const end = at + recordLength(view, at)
      if (end > bytes.length) break
      checkRecord(view, at, end - at)
      checkReferences(view, at, referenceCount)
      if (!visit({ bytes, view, at, end })) return new Uint8Array(0)
      at = end
    }
  } catch (cause) {
    if (cause instanceof FormatError) throw damagedRecord(cause)
    throw cause
  }
  return Uint8Array.from(bytes.subarray(at))
}

/**
 * Checks that no record is incomplete.
 * @throws EngineError corrupt_source if one is
 */
export function checkEnded(rest: Uint8Array): void {
  if (rest.length > 0) throw damagedRecord(new FormatError('the last record is cut off'))
}

function checkReferences(view: DataView, at: number, referenceCount: number): void {
  for (const reference of [view.getInt32(at + 4, true), view.getInt32(at + 24, true)]) {
    if (reference < -1 || reference >= referenceCount) {
      throw new FormatError(`record names reference ${reference} of ${referenceCount}`)
    }
  }
}

function damagedRecord(cause: FormatError): EngineError {
  return new EngineError('corrupt_source', `alignment file is damaged: ${cause.message}`, { cause })
}
