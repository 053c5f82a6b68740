import { crc32 } from 'node:zlib'
import type { Job } from '../executor.ts'

interface ChecksumInput {
  /** Bytes in shared memory, so that they are not copied. */
  readonly bytes: Uint8Array
  /** CRC32 of all preceding bytes. */
  readonly before: number
}

/** Continues a CRC32. A megabyte takes a third of a millisecond. */
export const checksumJob: Job<ChecksumInput, number> = {
  name: 'integrity.checksum',
  run: ({ bytes, before }) => crc32(bytes, before),
}
