import { type ByteSource, damage } from '../../shared/blobs/source.ts'
import type { Job } from '../../shared/executor.ts'
import { MAX_BLOCK_BYTES, WRITE_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'
import { BlockReader, type InflatedBlock } from './block-reader.ts'
import type { AlignmentHeader } from './header.ts'
import { Recompressor } from './recompressor.ts'
import { cursorOver } from './records/cursor-over.ts'
import { findRecord, type SoughtRecord } from './records/find-record.ts'
import { formatFor, type RecordFormat } from './records/record-format.ts'

/** A position inside a block: an inflated offset, or the first record at or after a position. */
export type Inside = number | SoughtRecord

/** A step of an edge's output. Blocks are named by their file offset. */
export type EdgeStep =
  /** The bytes of one block between two positions. The `end` may be the end of the block. */
  | {
      readonly kind: 'part'
      readonly block: number
      readonly low: Inside
      readonly high: Inside | 'end'
    }
  /** A number of bytes from a virtual offset on, across any number of blocks. */
  | {
      readonly kind: 'span'
      readonly block: number
      readonly inner: number
      readonly length: number
    }
  /** Records of a run that start in [floor, position) and end beyond `beyond`. */
  | {
      readonly kind: 'reaching'
      readonly block: number
      readonly inner: number
      readonly reference: number
      readonly floor: number
      readonly position: number
      readonly beyond: number
    }

interface EdgeInput {
  readonly source: ByteSource
  readonly format: RecordFormat
  readonly steps: readonly EdgeStep[]
  /** Shared memory for the output, since transferring buffers between threads leaves garbage. */
  readonly target: Uint8Array
}

/** Returns the record format with only the references that the steps use. */
export function formatOfSteps(
  { format, names }: Pick<AlignmentHeader, 'format' | 'names'>,
  steps: readonly EdgeStep[],
): RecordFormat {
  return formatFor(format, names, referencesOf(steps))
}

function* referencesOf(steps: readonly EdgeStep[]): Generator<number> {
  for (const step of steps) {
    if (step.kind === 'reaching') yield step.reference
    if (step.kind !== 'part') continue
    for (const place of [step.low, step.high]) if (typeof place === 'object') yield place.reference
  }
}

interface EdgeOutput {
  /** Bytes written to the target. */
  readonly length: number
  /** The output in a buffer of its own, if it does not fit in the target. */
  readonly overflow: Uint8Array<ArrayBuffer> | undefined
  /**
   * Three numbers per step: the inflated length of the edge before the step, and the start and end of the step
   * in its block. A step that is not a part of a block has the length of its output instead.
   */
  readonly places: Float64Array<ArrayBuffer>
}

/**
 * Builds the bytes between two runs of copied blocks. Only these bytes of a slice are inflated and compressed
 * again. Every block that is read is verified by its CRC32.
 */
export const edgeJob: Job<EdgeInput, EdgeOutput> = {
  name: 'slicing.edge',
  transfer: ({ overflow }) => (overflow ? [overflow.buffer] : []),
  run({ source, format, steps, target }, scratch) {
    const { inflater } = scratch.kernels
    const reader = new BlockReader(source, scratch.bytes('block', MAX_BLOCK_BYTES), { inflater })
    const out = new Recompressor(scratch.bytes('pending', WRITE_BLOCK_BYTES))
    const places = new Float64Array(3 * steps.length)
    for (const [i, step] of steps.entries()) {
      const before = out.length
      let from = 0
      if (step.kind === 'part') from = addPart(reader, format, step, out)
      else if (step.kind === 'span') addSpan(reader, step, out)
      else addReaching(reader, format, step, out)
      places.set([before, from, from + out.length - before], 3 * i)
    }
    const bytes = out.finish(target)
    const overflow = bytes.buffer === target.buffer ? undefined : Uint8Array.from(bytes)
    return { length: bytes.length, overflow, places }
  },
}

function addPart(
  reader: BlockReader,
  format: RecordFormat,
  { block: offset, low, high }: Extract<EdgeStep, { kind: 'part' }>,
  out: Recompressor,
): number {
  const block = reader.at(offset)
  const from = placeIn(block, format, low)
  const to = high === 'end' ? block.bytes.length : placeIn(block, format, high)
  if (from > block.bytes.length || to > block.bytes.length || from > to) {
    throw damage('block does not have the records that are known of it', offset)
  }
  out.add(block.bytes.subarray(from, to))
  return from
}

/** Returns the offset of a position in a block. The caller knows that the block has a record at the position. */
function placeIn(block: InflatedBlock, format: RecordFormat, place: Inside): number {
  if (typeof place === 'number') return place
  const { bytes, offset } = block
  let at: number
  try {
    at = findRecord(format, bytes, place)
  } catch (cause) {
    throw damage('record in the block', offset, cause)
  }
  if (at >= bytes.length) throw damage('block does not have the record that is known of it', offset)
  return at
}

function addSpan(
  reader: BlockReader,
  { block: offset, inner, length }: Extract<EdgeStep, { kind: 'span' }>,
  out: Recompressor,
): void {
  let skip = inner
  let left = length
  let next = offset
  while (left > 0) {
    const block = reader.from(next)
    if (!block) throw damage('records are cut off; their block starts', offset)
    const part = block.bytes.subarray(skip, skip + left)
    out.add(part)
    left -= part.length
    skip = Math.max(0, skip - block.bytes.length)
    next = block.next
  }
}

function addReaching(
  reader: BlockReader,
  format: RecordFormat,
  step: Extract<EdgeStep, { kind: 'reaching' }>,
  out: Recompressor,
): void {
  const cursor = cursorOver(format, reader, step)
  while (cursor.advance() && cursor.block === step.block) {
    if (cursor.reference !== step.reference || cursor.start >= step.position) break
    if (cursor.start >= step.floor && cursor.end > step.beyond) out.add(cursor.bytes())
  }
}
