import { crc32 } from 'node:zlib'
import type { Job } from '../executor.ts'
import { blockFrame, inflateBlock } from '../formats/bgzf.ts'
import { FormatError } from '../formats/format-error.ts'
import type { Frames } from './ledger.ts'

export interface VerifyInput extends Frames {
  /** In shared memory, so that what is proved is what is sent. */
  readonly bytes: Uint8Array
  /** Checksums from when the blocks were proved before; without them they are proved in full. */
  readonly expected: Uint32Array | undefined
}

export interface VerifyOutput {
  /** How many blocks are sound, from the first on. */
  readonly sound: number
  /** CRC32 of their compressed bytes, for the ledger. Absent when they came from there. */
  readonly checksums: Uint32Array<ArrayBuffer> | undefined
}

/** Proves blocks in a thread: by their checksums, or in full (they inflate to what they state). */
export const verifyJob: Job<VerifyInput, VerifyOutput> = {
  name: 'slicing.verify',
  run({ bytes, expected, ...frames }) {
    if (expected) return { sound: countMatching(bytes, frames, expected), checksums: undefined }
    const { starts, lengths } = frames
    const checksums = new Uint32Array(starts.length)
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i]!
      const end = start + lengths[i]!
      if (!isSound(bytes, start, end)) return { sound: i, checksums: checksums.slice(0, i) }
      checksums[i] = crc32(bytes.subarray(start, end))
    }
    return { sound: starts.length, checksums }
  },
}

/** Whether a block inflates to what it states. */
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

/** How many blocks, from the first on, have the compressed bytes that they had when proved. */
export function countMatching(
  bytes: Uint8Array,
  { starts, lengths }: Frames,
  expected: Uint32Array,
): number {
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]!
    if (crc32(bytes.subarray(start, start + lengths[i]!)) !== expected[i]) return i
  }
  return starts.length
}
