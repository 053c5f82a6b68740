import { crc32 } from 'node:zlib'
import type { Job } from '../../../shared/executor.ts'
import { readFully } from './read-fully.ts'

export interface PartToRead {
  readonly descriptor: number
  /** Place of the part in the file. */
  readonly position: number
  /** Shared memory that the part is read into. */
  readonly into: Uint8Array
  /** CRC32 of all that lies before it. */
  readonly checksum: number
}

/** Reads part of a file and carries the checksum on. Fails with `corrupt_source` when it is short. */
export const readPartJob: Job<PartToRead, number> = {
  name: 'expression.read-part',
  run({ descriptor, position, into, checksum }) {
    readFully(descriptor, into, position)
    return crc32(into, checksum)
  },
}
