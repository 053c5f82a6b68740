import type { WithSource } from '../../shared/blobs/blob.ts'
import { type ByteSource, readFully } from '../../shared/blobs/source.ts'
import type { Job, Scratch } from '../../shared/executor.ts'
import { blockLength, MAX_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import type { Range } from './extent.ts'
import { isSound } from './verify.ts'

/** Number of bytes that always include the header of a block, since no known writer makes longer headers. */
const HEAD_BYTES = 256
/** Bytes of the inflated length at the end of a block. */
const LENGTH_BYTES = 4

export interface WalkOutput {
  /** File offset of each non-empty block, followed by the offset after the last one. */
  readonly starts: Float64Array<ArrayBuffer>
  /** File offset of the end of each non-empty block. */
  readonly ends: Float64Array<ArrayBuffer>
}

/**
 * Locates the blocks in a range of the file by reading only their headers. Only empty blocks are verified.
 * Returns undefined if the range is not a sequence of whole blocks.
 */
export const walkJob: Job<WithSource & Range, WalkOutput | undefined> = {
  name: 'slicing.walk',
  transfer: (output) => (output ? [output.starts.buffer, output.ends.buffer] : []),
  run({ source, start, end }, scratch) {
    const starts: number[] = []
    const ends: number[] = []
    // The length at the end of a block is read together with the next block's header.
    const around = scratch.bytes('around', LENGTH_BYTES + HEAD_BYTES)
    // A file without a header may have its first block at offset 0, with nothing to read before it.
    let read =
      start < LENGTH_BYTES
        ? LENGTH_BYTES + readFully(source, around.subarray(LENGTH_BYTES), start)
        : readFully(source, around, start - LENGTH_BYTES)
    for (let at = start; at < end; ) {
      const length = lengthAt(around, read)
      if (length === undefined || at + length > end) return undefined
      const next = at + length
      read = readFully(source, around, next - LENGTH_BYTES)
      if (read < LENGTH_BYTES) return undefined
      if (around.readUInt32LE(0) > 0) {
        starts.push(at)
        ends.push(next)
      } else if (!isSoundAt(source, at, length, scratch)) {
        return undefined
      }
      at = next
    }
    return { starts: Float64Array.from(starts), ends: Float64Array.from(ends) }
  },
}

function lengthAt(around: Uint8Array, read: number): number | undefined {
  try {
    return blockLength(around, LENGTH_BYTES, read) || undefined
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/** Returns whether a block is intact. A damaged block may falsely state that it is empty. */
function isSoundAt(source: ByteSource, at: number, length: number, scratch: Scratch): boolean {
  const block = scratch.bytes('block', MAX_BLOCK_BYTES).subarray(0, length)
  return readFully(source, block, at) === length && isSound(block, 0, length)
}
