import { readSync } from 'node:fs'
import { EngineError } from '../errors.ts'

/** The bytes of a stored file in the form in which jobs read them. */
export type ByteSource = LocalSource | PagedSource

/**
 * A file on this machine. All worker threads can use its descriptor, which belongs to the process. The caller
 * who opened the file keeps it open until the job ends.
 */
export interface LocalSource {
  readonly descriptor: number
  readonly size: number
}

/** A remote file with the pages that have been fetched so far. */
interface PagedSource {
  readonly size: number
  readonly pageBytes: number
  /** Pages in shared memory, keyed by page number. The last page of the file is shorter. */
  readonly pages: ReadonlyMap<number, Uint8Array>
}

/**
 * Thrown by a job that needs bytes which are not loaded. The blob that runs the job catches it, fetches the
 * bytes from `start` on, and runs the job again.
 */
export class MissingBytes extends Error {
  readonly start: number
  readonly end: number

  /**
   * @param start first missing byte
   * @param end end of the bytes that the job would use
   */
  constructor(start: number, end: number) {
    super(`bytes ${start} to ${end} have not been fetched`)
    this.start = start
    this.end = end
  }
}

/**
 * Fills `into` from `position` on, as far as the file goes, and returns the number of bytes.
 * @throws MissingBytes if not all of them are loaded
 */
export function readFully(source: ByteSource, into: Uint8Array, position: number): number {
  return readLeast(source, into, position, into.length)
}

/**
 * Reads like readFully. If not all bytes are loaded, may return fewer, but at least `least` bytes or the rest of
 * the file.
 * @throws MissingBytes if fewer bytes are loaded
 */
export function readLeast(
  source: ByteSource,
  into: Uint8Array,
  position: number,
  least: number,
): number {
  if ('pages' in source) return readPages(source, into, position, least)
  let filled = 0
  while (filled < into.length) {
    const got = readAt(source.descriptor, into.subarray(filled), position + filled)
    if (got === 0) break
    filled += got
  }
  return filled
}

function readPages(
  { size, pageBytes, pages }: PagedSource,
  into: Uint8Array,
  position: number,
  least: number,
): number {
  const there = Math.max(0, Math.min(into.length, size - position))
  let filled = 0
  while (filled < there) {
    const at = position + filled
    const number = Math.floor(at / pageBytes)
    const part = pages
      .get(number)
      ?.subarray(at - number * pageBytes)
      .subarray(0, there - filled)
    if (!part || part.length === 0) break
    into.set(part, filled)
    filled += part.length
  }
  if (filled < Math.min(least, there)) throw new MissingBytes(position + filled, position + there)
  return filled
}

function readAt(descriptor: number, into: Uint8Array, position: number): number {
  try {
    return readSync(descriptor, into, 0, into.length, position)
  } catch (cause) {
    throw damage('disk cannot read', position, cause)
  }
}

/** Creates the error for a damaged file. A byte position is not health data, so it may be reported. */
export function damage(what: string, byteOffset: number, cause?: unknown): EngineError {
  return new EngineError('corrupt_source', `${what} at byte ${byteOffset} of the file`, {
    cause,
  })
}
