import { type ByteSource, damage, readLeast } from '../../shared/blobs/source.ts'
import type { Scratch } from '../../shared/executor.ts'
import { RECORD_FIXED_BYTES, recordLength, seemsRecord } from '../../shared/formats/bam.ts'
import {
  blockFrame,
  blockLength,
  inflateBlock,
  MAX_BLOCK_BYTES,
} from '../../shared/formats/bgzf.ts'
import { FormatError } from '../../shared/formats/format-error.ts'

/** Where a record starts: so many inflated bytes behind the start of a block. */
export interface RecordPlace {
  readonly block: number
  readonly skip: number
}

export interface GuessInput {
  readonly source: ByteSource
  readonly referenceCount: number
  /** File offset from which to look, anywhere in a block. */
  readonly start: number
}

/** Blocks in a row, and records, that have to look like it. */
const MIN_BLOCKS = 3
const MIN_RECORDS = 4
/** Blocks that are inflated for that; in records that are longer, it is not known where one starts. */
const MAX_INFLATED = MIN_BLOCKS
/** A block is found within its length; those behind it have to be seen as well. */
const WINDOW_BYTES = (1 + MIN_BLOCKS) * MAX_BLOCK_BYTES

/**
 * The first block from an offset on, and the first record in it, as far as their looks tell: a series
 * of bytes inside a block can look like either. Whoever asks compares it with what is known later.
 * @throws EngineError corrupt_source where what looked like a block is none, or is damaged
 */
export function guessFirstRecord(
  { source, referenceCount, start }: GuessInput,
  scratch: Scratch,
): RecordPlace | undefined {
  const window = scratch.bytes('window', WINDOW_BYTES)
  const length = readLeast(source, window, start, window.length)
  const bytes = window.subarray(0, length)
  const block = firstBlock(bytes)
  if (block === undefined) return undefined
  try {
    const skip = firstRecord(bytes, block, referenceCount)
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
      // The window ends here, or the file.
      if (length === 0) return seen > 0
      at += length
    }
    return true
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}

/** Inflated bytes from the block to the first record; of most files, one block tells. */
function firstRecord(bytes: Buffer, from: number, referenceCount: number): number | undefined {
  let inflated: Uint8Array = new Uint8Array(0)
  let at = from
  for (let left = MAX_INFLATED - 1; left >= 0; left--) {
    const frame = blockFrame(bytes, at, bytes.length)
    if (!frame) return undefined
    inflated = Buffer.concat([inflated, inflateBlock(bytes, frame)])
    at = frame.end
    const isLast = left === 0 || at === bytes.length
    const skip = firstRecordIn(inflated, referenceCount, isLast ? 1 : MIN_RECORDS)
    if (skip !== undefined) return skip
  }
  return undefined
}

function firstRecordIn(
  bytes: Uint8Array,
  referenceCount: number,
  least: number,
): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at + RECORD_FIXED_BYTES <= bytes.length; at++) {
    if (recordsFrom(view, at, referenceCount) >= least) return at
  }
  return undefined
}

/** How many records there seem to be, one after the other; no more are counted than have to be. */
function recordsFrom(view: DataView, from: number, referenceCount: number): number {
  let at = from
  let seen = 0
  while (seen < MIN_RECORDS && at + RECORD_FIXED_BYTES <= view.byteLength) {
    if (!seemsRecord(view, at, referenceCount)) return 0
    at += recordLength(view, at)
    seen++
  }
  return seen
}
