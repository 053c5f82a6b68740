import { crc32 } from 'node:zlib'
import { type ByteSource, readFully } from '../../shared/blobs/source.ts'
import type { Job } from '../../shared/executor.ts'
import { blockFrame, inflateBlock } from '../../shared/formats/bgzf.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import type { Inflater } from '../../shared/formats/inflater.ts'
import type { Frames } from './ledger.ts'

interface VerifyInput extends Frames {
  /** Bytes in shared memory, so that exactly the verified bytes are sent. */
  readonly bytes: Uint8Array
}

interface VerifyOutput {
  /** CRC32 of the compressed bytes of each intact block before the first damaged one. */
  readonly checksums: Uint32Array<ArrayBuffer>
}

/** Verifies blocks in full: each must inflate to the length and the CRC32 stated in it. */
export const verifyJob: Job<VerifyInput, VerifyOutput> = {
  name: 'slicing.verify',
  run({ bytes, starts, lengths }, { kernels }) {
    const { inflater } = kernels
    const checksums = new Uint32Array(starts.length)
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i]!
      const end = start + lengths[i]!
      if (!isSound(bytes, start, end, inflater)) return { checksums: checksums.slice(0, i) }
      checksums[i] = crc32(bytes.subarray(start, end))
    }
    return { checksums }
  },
}

/** Returns whether the bytes from start to end are one block that inflates to the length and CRC32 stated in it. */
export function isSound(
  bytes: Uint8Array,
  start: number,
  end: number,
  inflater?: Inflater,
): boolean {
  try {
    const frame = blockFrame(bytes, start, end)
    if (frame?.end !== end) return false
    inflateBlock(bytes, frame, inflater)
    return true
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}

/** Blocks of an extent that were verified before, with their checksums. */
export interface KnownBlocks extends Frames {
  readonly expected: Uint32Array
}

interface LoadInput extends KnownBlocks {
  readonly source: ByteSource
  /** File offset of the extent. */
  readonly position: number
  /** Shared memory of the extent's length. */
  readonly target: Uint8Array
}

/**
 * Reads an extent and compares checksums while its bytes are in the processor's cache. Returns the number of
 * blocks before the first mismatch.
 */
export const loadJob: Job<LoadInput, number> = {
  name: 'slicing.load',
  run({ source, position, target, ...blocks }) {
    return countMatching(target, readFully(source, target, position), blocks)
  },
}

/**
 * Returns the number of blocks, from the first on, that are within `limit` and have the expected checksums.
 */
export function countMatching(
  bytes: Uint8Array,
  limit: number,
  { starts, lengths, expected }: KnownBlocks,
): number {
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]!
    const end = start + lengths[i]!
    if (end > limit || crc32(bytes.subarray(start, end)) !== expected[i]) return i
  }
  return starts.length
}
