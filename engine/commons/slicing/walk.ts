import type { WithSource } from '../../shared/blobs/blob.ts'
import { type ByteSource, readFully } from '../../shared/blobs/source.ts'
import type { Job, Scratch } from '../../shared/executor.ts'
import { blockLength, MAX_BLOCK_BYTES } from '../../shared/formats/bgzf.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import type { Range } from './extent.ts'
import { isSound } from './verify.ts'

/** More than any known writer puts in front of a block's data. */
const HEAD_BYTES = 256
/** Length of the inflated bytes, in a block's last four. */
const LENGTH_BYTES = 4

export interface WalkOutput {
  /** File offset of each block that holds anything, and of the byte after the last of them. */
  readonly starts: Float64Array<ArrayBuffer>
  /** The end of each of them. */
  readonly ends: Float64Array<ArrayBuffer>
}

/**
 * Where the blocks in a range of the file are, by their headers alone: what a directory would know.
 * Nothing of it is proved but that blocks that state to be empty are. Undefined when the range is no
 * series of whole blocks.
 */
export const walkJob: Job<WithSource & Range, WalkOutput | undefined> = {
  name: 'slicing.walk',
  transfer: (output) => (output ? [output.starts.buffer, output.ends.buffer] : []),
  run({ source, start, end }, scratch) {
    const starts: number[] = []
    const ends: number[] = []
    // The length that a block states is read together with the header of the next one.
    const around = scratch.bytes('around', LENGTH_BYTES + HEAD_BYTES)
    // Of a file without a header, the first block may be the first of the range.
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

/** What says that it is empty may be damaged, and hold records. */
function isSoundAt(source: ByteSource, at: number, length: number, scratch: Scratch): boolean {
  const block = scratch.bytes('block', MAX_BLOCK_BYTES).subarray(0, length)
  return readFully(source, block, at) === length && isSound(block, 0, length)
}
