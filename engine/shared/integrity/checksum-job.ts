import { crc32 } from 'node:zlib'
import type { Job } from '../executor.ts'

export interface ChecksumInput {
  /** In shared memory, so that they are not copied. */
  readonly bytes: Uint8Array
  /** CRC32 of all that stands before them. */
  readonly before: number
}

/** Takes a CRC32 on: a megabyte in a third of a millisecond. */
export const checksumJob: Job<ChecksumInput, number> = {
  name: 'integrity.checksum',
  run: ({ bytes, before }) => crc32(bytes, before),
}
