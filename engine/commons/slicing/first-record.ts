import { type ByteSource, damage, readLeast } from '../../shared/blobs/source.ts'
import type { Scratch } from '../../shared/executor.ts'
import { RECORD_FIXED_BYTES, recordLength, seemsRecord } from '../../shared/formats/bam.ts'
import { BCF_FIXED_BYTES, bcfLength, seemsBcf } from '../../shared/formats/bcf.ts'
import {
  blockFrame,
  blockLength,
  inflateBlock,
  MAX_BLOCK_BYTES,
} from '../../shared/formats/bgzf.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { placeLine } from '../../shared/formats/tabix.ts'
import { LineNames } from './records/line-cursor.ts'
import { UNKNOWN_REFERENCE } from './records/record-cursor.ts'
import type { LineFormat, RecordFormat } from './records/record-format.ts'

/** Start of a record: the offset of a block, and inflated bytes to skip. */
export interface RecordPlace {
  readonly block: number
  readonly skip: number
}

interface GuessInput {
  readonly source: ByteSource
  readonly format: RecordFormat
  readonly referenceCount: number
  /** File offset to search from, anywhere within a block. */
  readonly start: number
}

/** Number of consecutive blocks that must look valid. */
const MIN_BLOCKS = 3
/** Number of consecutive records that must look valid. */
const MIN_RECORDS = 4
/** Maximum number of blocks inflated for a guess. If records are longer, their start is not found. */
const MAX_INFLATED = MIN_BLOCKS
/** Bytes to examine: the first block starts within one block's length, and more blocks must confirm it. */
const WINDOW_BYTES = (1 + MIN_BLOCKS) * MAX_BLOCK_BYTES

/**
 * Guesses the first block at or after an offset, and the first record in it. Bytes inside a block can look like
 * a block or a record, so the caller must compare the guess with later results.
 * @throws EngineError corrupt_source if the guessed block is damaged or not a block
 */
export function guessFirstRecord(
  { source, format, referenceCount, start }: GuessInput,
  scratch: Scratch,
): RecordPlace | undefined {
  const window = scratch.bytes('window', WINDOW_BYTES)
  const length = readLeast(source, window, start, window.length)
  const bytes = window.subarray(0, length)
  const block = firstBlock(bytes)
  if (block === undefined) return undefined
  try {
    const skip = firstRecord(bytes, block, lookOf(format, referenceCount))
    return skip === undefined ? undefined : { block: start + block, skip }
  } catch (cause) {
    if (cause instanceof FormatError) throw damage('block', start + block, cause)
    throw cause
  }
}

const MAGIC = Buffer.from([0x1f, 0x8b, 0x08, 0x04])

function firstBlock(bytes: Buffer): number | undefined {
  for (let at = bytes.indexOf(MAGIC); at !== -1; at = bytes.indexOf(MAGIC, at + 1)) {
    if (areBlocks(bytes, at)) return at
  }
  return undefined
}

function areBlocks(bytes: Buffer, from: number): boolean {
  let at = from
  try {
    for (let seen = 0; seen < MIN_BLOCKS && at < bytes.length; seen++) {
      const length = blockLength(bytes, at, bytes.length)
      // The window or the file ends here.
      if (length === 0) return seen > 0
      at += length
    }
    return true
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}

/** Counts the consecutive records that seem to start at an offset, up to MIN_RECORDS. */
type CountFrom = (bytes: Uint8Array, view: DataView, from: number) => number

function lookOf(format: RecordFormat, referenceCount: number): CountFrom {
  if (format.kind === 'lines') return lookOfLines(format)
  if (format.kind === 'BAM') {
    return lookOfBinary(RECORD_FIXED_BYTES, (view, at) =>
      seemsRecord(view, at, referenceCount) ? recordLength(view, at) : 0,
    )
  }
  const { samples } = format
  return lookOfBinary(BCF_FIXED_BYTES, (view, at) =>
    seemsBcf(view, at, referenceCount, samples) ? bcfLength(view, at) : 0,
  )
}

/** @param lengthAt returns 0 for bytes that do not look like a record */
function lookOfBinary(
  fixedBytes: number,
  lengthAt: (view: DataView, at: number) => number,
): CountFrom {
  return (_, view, from) => {
    let at = from
    let seen = 0
    while (seen < MIN_RECORDS && at + fixedBytes <= view.byteLength) {
      const length = lengthAt(view, at)
      if (length === 0) return 0
      at += length
      seen++
    }
    return seen
  }
}

const NEWLINE = 10

/** Recognises the start of a line: after a line break, or at the start of a block if the bytes look like a line. */
function lookOfLines(format: LineFormat): CountFrom {
  const names = new LineNames(format)
  const place = { nameFrom: 0, nameTo: 0, start: 0, end: 0 }
  return (bytes, _, from) => {
    if (from > 0) return bytes[from - 1] === NEWLINE ? MIN_RECORDS : 0
    const end = bytes.indexOf(NEWLINE)
    if (end < 0) return 0
    try {
      placeLine(bytes, from, end, format, place)
      return names.numberOf(bytes, place) === UNKNOWN_REFERENCE ? 0 : MIN_RECORDS
    } catch (error) {
      if (error instanceof FormatError) return 0
      throw error
    }
  }
}

/** Returns the inflated bytes from the start of the block to the first record. One block is enough for most files. */
function firstRecord(bytes: Buffer, from: number, countFrom: CountFrom): number | undefined {
  let inflated: Uint8Array = new Uint8Array(0)
  let at = from
  for (let left = MAX_INFLATED - 1; left >= 0; left--) {
    const frame = blockFrame(bytes, at, bytes.length)
    if (!frame) return undefined
    inflated = Buffer.concat([inflated, inflateBlock(bytes, frame)])
    at = frame.end
    const isLast = left === 0 || at === bytes.length
    const skip = firstRecordIn(inflated, countFrom, isLast ? 1 : MIN_RECORDS)
    if (skip !== undefined) return skip
  }
  return undefined
}

function firstRecordIn(bytes: Uint8Array, countFrom: CountFrom, least: number): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < bytes.length; at++) if (countFrom(bytes, view, at) >= least) return at
  return undefined
}
