import { crc32 } from 'node:zlib'
import type { Job } from '../../../shared/executor.ts'
import { readFully } from './read-fully.ts'

interface PartToRead {
  readonly descriptor: number
  /** File offset of the part. */
  readonly position: number
  /** Shared memory that the part is read into. */
  readonly into: Uint8Array
  /** CRC32 of everything before it. */
  readonly checksum: number
}

/**
 * Reads a part of a file and continues the checksum.
 * @throws EngineError corrupt_source if the file is too short
 */
export const readPartJob: Job<PartToRead, number> = {
  name: 'expression.read-part',
  run({ descriptor, position, into, checksum }) {
    readFully(descriptor, into, position)
    return crc32(into, checksum)
  },
}
