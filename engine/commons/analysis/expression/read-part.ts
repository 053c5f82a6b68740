import { crc32 } from 'node:zlib'
import type { Job } from '../../../shared/executor.ts'
import { readFully } from './read-fully.ts'

interface PartToRead {
  readonly descriptor: number
  /** File offset of the part in bytes. */
  readonly position: number
  /** Shared memory to read into. It must have the length of the part. */
  readonly into: Uint8Array
  /** CRC32 of the file up to `position`. */
  readonly checksum: number
}

/**
 * Reads a part of a file. Returns the CRC32 of the file up to the end of the part.
 * @throws EngineError corrupt_source if the file is too short
 */
export const readPartJob: Job<PartToRead, number> = {
  name: 'expression.read-part',
  run({ descriptor, position, into, checksum }) {
    readFully(descriptor, into, position)
    return crc32(into, checksum)
  },
}
