import { readSync } from 'node:fs'
import { EngineError } from '../errors.ts'

/**
 * The bytes of an alignment file as a job sees them. A file descriptor belongs to the process, so
 * every thread can read it by number; whoever opened it keeps it open until the job has ended.
 */
export interface ByteSource {
  readonly descriptor: number
  readonly size: number
}

/** Fills as much of `into` as the file has from `position` on; returns how many bytes that were. */
export function readFully(source: ByteSource, into: Uint8Array, position: number): number {
  let filled = 0
  while (filled < into.length) {
    const got = readAt(source.descriptor, into.subarray(filled), position + filled)
    if (got === 0) break
    filled += got
  }
  return filled
}

function readAt(descriptor: number, into: Uint8Array, position: number): number {
  try {
    return readSync(descriptor, into, 0, into.length, position)
  } catch (cause) {
    throw damage('disk cannot read', position, cause)
  }
}

/** Damage found at a place of an alignment file. Positions are no health data. */
export function damage(what: string, byteOffset: number, cause?: unknown): EngineError {
  return new EngineError('corrupt_source', `${what} at byte ${byteOffset} of the alignment file`, {
    cause,
  })
}
