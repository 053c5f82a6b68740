import { type ByteSource, damage } from '../../shared/blobs/source.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Job } from '../../shared/executor.ts'
import { MAX_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'
import { BlockReader, LONG_WINDOW_BYTES } from './block-reader.ts'
import { cursorOver } from './records/cursor-over.ts'
import type { RecordCursor } from './records/record-cursor.ts'
import type { RecordFormat } from './records/record-format.ts'

/** Virtual offset: the file offset of a block and an offset in its inflated bytes. */
export interface VirtualOffset {
  readonly block: number
  readonly inner: number
}

export const unpackOffset = (packed: bigint): VirtualOffset => ({
  block: Number(packed >> 16n),
  inner: Number(packed & 0xffffn),
})

interface LocateInput {
  readonly source: ByteSource
  /** Format that includes the names of all references of the intervals. */
  readonly format: RecordFormat
  readonly intervals: readonly IndexedInterval[]
}

/** An interval and what the index says about it (ADR 3). */
export interface IndexedInterval {
  readonly reference: number
  readonly start: number
  /** Records that start in [from, end) belong to the interval. Earlier ones do only if they overlap its start. */
  readonly from: number
  readonly end: number
  /** Records that start below this position belong to the output of an earlier interval. */
  readonly floor: number
  /** All records before this offset start before `from`. */
  readonly begin: VirtualOffset
  /** Chunks that may have records that start before `from` and end after `start`. */
  readonly candidates: readonly (readonly [VirtualOffset, VirtualOffset])[]
  /** All records before this offset start before `end`. */
  readonly finish: VirtualOffset
  /** All records from this offset on start at or after `end`. Undefined if `finish` is exact. */
  readonly limit: VirtualOffset | undefined
  /** Whether references are in the order of their numbers, according to the index. */
  readonly isAscending: boolean
}

export interface Located {
  /** Records that reach into the interval from the left, as spans of inflated bytes. */
  readonly reaching: readonly (VirtualOffset & { readonly length: number })[]
  /** Offset of the first record at or after the interval's position `from`. */
  readonly from: VirtualOffset
  /** Offset of the end of the last record that starts before the interval's end. */
  readonly to: VirtualOffset
  /** File offset after the block of `from`. */
  readonly afterFrom: number
}

const compare = (a: VirtualOffset, b: VirtualOffset): number =>
  a.block - b.block || a.inner - b.inner

const latest = (a: VirtualOffset, b: VirtualOffset): VirtualOffset => (compare(a, b) < 0 ? b : a)

/**
 * Finds the exact virtual offsets of each interval and the records that reach into it. A block directory would
 * have these; without one, the job uses the index and decodes records.
 * @throws EngineError no_index if the index has other references at these offsets; corrupt_source
 */
export const locateJob: Job<LocateInput, readonly Located[]> = {
  name: 'slicing.locate',
  run({ source, format, intervals }, scratch) {
    const { inflater } = scratch.kernels
    const window = scratch.bytes('window', LONG_WINDOW_BYTES)
    const reader = new BlockReader(source, window, { inflater })
    return intervals.map((interval) => locate(reader, format, interval))
  },
}

function locate(reader: BlockReader, format: RecordFormat, interval: IndexedInterval): Located {
  const { reaching, from } = locateStart(reader, format, interval)
  let to = latest(from, interval.finish)
  if (interval.limit) {
    const cursor = cursorOver(format, reader, to)
    while (cursor.advance()) {
      checkOrder(cursor, interval)
      if (cursor.reference !== interval.reference || cursor.start >= interval.end) break
      if (compare(cursor, interval.limit) >= 0) break
      to = { block: cursor.block, inner: cursor.inner + cursor.length }
    }
  }
  to = normalise(reader, to)
  if (compare(from, to) >= 0) return { reaching, from, to, afterFrom: from.block }
  const first = cursorOver(format, reader, from)
  if (first.advance()) mustBeOf(first, interval.reference)
  return { reaching, from, to, afterFrom: reader.at(from.block).next }
}

function locateStart(
  reader: BlockReader,
  format: RecordFormat,
  interval: IndexedInterval,
): Pick<Located, 'reaching' | 'from'> {
  const reaching: { block: number; inner: number; length: number }[] = []
  let from = interval.begin
  for (const [chunkBegin, chunkEnd] of interval.candidates) {
    const cursor = cursorOver(format, reader, chunkBegin)
    let passed = false
    let isFirst = true
    while (cursor.advance() && compare(cursor, chunkEnd) < 0) {
      checkOrder(cursor, interval)
      // A chunk begins with a record of its reference.
      if (isFirst) mustBeOf(cursor, interval.reference)
      isFirst = false
      if (cursor.reference !== interval.reference || cursor.start >= interval.from) {
        passed = true
        break
      }
      const { block, inner, length, start } = cursor
      if (start >= interval.floor && cursor.end > interval.start) {
        const last = reaching.at(-1)
        reaching.push({ block, inner, length })
        if (last && follows(last, block, inner)) {
          reaching.splice(-2, 2, { ...last, length: last.length + length })
        }
      }
      from = latest(from, { block, inner: inner + length })
    }
    if (passed) break
  }
  return { reaching, from: normalise(reader, from) }
}

/** Checks that a record belongs to the reference that the index states for its offset. */
function mustBeOf({ reference, block }: RecordCursor, wanted: number): void {
  if (reference === wanted) return
  throw new EngineError(
    'no_index',
    `index is not that of the file: in the block at byte ${block}, the file has records of another reference`,
  )
}

interface LocateUnplacedInput {
  readonly source: ByteSource
  /** Every record before this offset has a reference. */
  readonly begin: VirtualOffset
}

const BAM: RecordFormat = { kind: 'BAM' }

/** Finds the records without a reference, which extend from the first of them to the end of the file. */
export const locateUnplacedJob: Job<LocateUnplacedInput, Located> = {
  name: 'slicing.locate-unplaced',
  run({ source, begin }, scratch) {
    const { inflater } = scratch.kernels
    const window = scratch.bytes('window', LONG_WINDOW_BYTES)
    const reader = new BlockReader(source, window, { inflater })
    const cursor = cursorOver(BAM, reader, begin)
    const end = { block: source.size, inner: 0 }
    while (cursor.advance()) {
      if (cursor.reference !== -1) continue
      const from = { block: cursor.block, inner: cursor.inner }
      return { reaching: [], from, to: end, afterFrom: reader.at(from.block).next }
    }
    return { reaching: [], from: end, to: end, afterFrom: end.block }
  },
}

interface BehindIndexInput {
  readonly source: ByteSource
  readonly format: RecordFormat
  /** End of the last chunk of the index. */
  readonly begin: VirtualOffset
}

/** Finds the first record after all chunks of the index that has a reference. Returns undefined if there is none. */
export const behindIndexJob: Job<
  BehindIndexInput,
  { readonly reference: number; readonly start: number } | undefined
> = {
  name: 'slicing.behind-index',
  run({ source, format, begin }, scratch) {
    const reader = new BlockReader(source, scratch.bytes('block', MAX_BLOCK_BYTES))
    const cursor = cursorOver(format, reader, begin)
    if (!cursor.advance() || cursor.reference === -1) return undefined
    return { reference: cursor.reference, start: cursor.start }
  },
}

interface BlockEndInput {
  readonly source: ByteSource
  /** File offset of a block, or of the end of the file. */
  readonly block: number
}

/** Finds the offset of the byte after a block. */
export const blockEndJob: Job<BlockEndInput, number> = {
  name: 'slicing.block-end',
  run({ source, block }, scratch) {
    if (block >= source.size) return block
    return new BlockReader(source, scratch.bytes('block', MAX_BLOCK_BYTES)).at(block).next
  },
}

const follows = (last: VirtualOffset & { length: number }, block: number, inner: number) =>
  last.block === block && last.inner + last.length === inner

function checkOrder(cursor: RecordCursor, { reference, isAscending }: IndexedInterval): void {
  // Reference numbers of a sorted file usually ascend, and records without a reference (-1) come last.
  if (isAscending && cursor.reference >= 0 && cursor.reference < reference) {
    throw damage('records are out of order in the block', cursor.block)
  }
}

/** Normalises a virtual offset: the inner offset is within its block unless the offset is the end of the file. */
function normalise(reader: BlockReader, place: VirtualOffset): VirtualOffset {
  let { block, inner } = place
  while (inner > 0) {
    const bytes = reader.from(block)
    if (!bytes) {
      throw damage('last record is cut off before the end', block)
    }
    if (inner < bytes.bytes.length) return { block: bytes.offset, inner }
    inner -= bytes.bytes.length
    block = bytes.next
  }
  return { block, inner }
}
