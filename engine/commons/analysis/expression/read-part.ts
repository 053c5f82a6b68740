import { readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'

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
    let filled = 0
    while (filled < into.length) {
      const read = readSync(descriptor, into, filled, into.length - filled, position + filled)
      if (read === 0) throw new EngineError('corrupt_source', 'the file has ended too early')
      filled += read
    }
    return crc32(into, checksum)
  },
}
