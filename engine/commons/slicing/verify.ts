import { crc32 } from 'node:zlib'
import { type ByteSource, readFully } from '../../shared/blobs/source.ts'
import type { Job } from '../../shared/executor.ts'
import { blockFrame, inflateBlock } from '../../shared/formats/bgzf.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import type { Frames } from './ledger.ts'

export interface VerifyInput extends Frames {
  /** In shared memory, so that what is proved is what is sent. */
  readonly bytes: Uint8Array
}

export interface VerifyOutput {
  /** CRC32 of the compressed bytes of each sound block, up to the first that is not. */
  readonly checksums: Uint32Array<ArrayBuffer>
}

/** Proves blocks in full: they inflate to the length and CRC32 that they state. */
export const verifyJob: Job<VerifyInput, VerifyOutput> = {
  name: 'slicing.verify',
  run({ bytes, starts, lengths }) {
    const checksums = new Uint32Array(starts.length)
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i]!
      const end = start + lengths[i]!
      if (!isSound(bytes, start, end)) return { checksums: checksums.slice(0, i) }
      checksums[i] = crc32(bytes.subarray(start, end))
    }
    return { checksums }
  },
}

/** Whether the bytes from start to end are one block that inflates to what it states. */
export function isSound(bytes: Uint8Array, start: number, end: number): boolean {
  try {
    const frame = blockFrame(bytes, start, end)
    if (frame?.end !== end) return false
    inflateBlock(bytes, frame)
    return true
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}

/** Blocks of an extent that were proved before, and the checksums from then. */
export interface KnownBlocks extends Frames {
  readonly expected: Uint32Array
}

export interface LoadInput extends KnownBlocks {
  readonly source: ByteSource
  /** File offset of the extent. */
  readonly position: number
  /** Shared memory of the extent's length. */
  readonly target: Uint8Array
}

/**
 * Reads an extent and proves it by its checksums while it is still in this processor's cache.
 * Returns how many blocks, from the first on, are as they were.
 */
export const loadJob: Job<LoadInput, number> = {
  name: 'slicing.load',
  run({ source, position, target, ...blocks }) {
    return countMatching(target, readFully(source, target, position), blocks)
  },
}

/** How many blocks, from the first on, are within `limit` and have the expected checksums. */
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
