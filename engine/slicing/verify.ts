import { crc32 } from 'node:zlib'
import type { Job } from '../executor.ts'
import { blockFrame, inflateBlock } from '../formats/bgzf.ts'
import { FormatError } from '../formats/format-error.ts'

export interface VerifyInput {
  /** In shared memory, so that what is proved is what is sent. */
  readonly bytes: Uint8Array
  /** Where each block starts in the bytes, and its length. */
  readonly starts: Uint32Array
  readonly lengths: Uint32Array
}

export interface VerifyOutput {
  /** CRC32 of the compressed bytes of each sound block, up to the first that is not. */
  readonly checksums: Uint32Array<ArrayBuffer>
  /** What is wrong with the first bad block. */
  readonly fault: string | undefined
}

/** Proves blocks in full (they inflate to the stated length and CRC32) and makes their ledger rows. */
export const verifyJob: Job<VerifyInput, VerifyOutput> = {
  name: 'slicing.verify',
  transfer: ({ checksums }) => [checksums.buffer],
  run({ bytes, starts, lengths }) {
    const checksums = new Uint32Array(lengths.length)
    for (let i = 0; i < lengths.length; i++) {
      const at = starts[i]!
      const end = at + lengths[i]!
      try {
        const frame = blockFrame(bytes, at, end)
        if (frame?.end !== end) throw new FormatError('block has another length')
        inflateBlock(bytes, frame)
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        return { checksums: checksums.slice(0, i), fault: error.message }
      }
      checksums[i] = crc32(bytes.subarray(at, end))
    }
    return { checksums, fault: undefined }
  },
}
