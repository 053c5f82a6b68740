import { readSync } from 'node:fs'
import { EngineError } from '../errors.ts'

/** The bytes of a stored file as a job sees them. */
export type ByteSource = LocalSource | PagedSource

/**
 * A file of this machine. A file descriptor belongs to the process, so every thread can read it by
 * number; whoever opened it keeps it open until the job has ended.
 */
export interface LocalSource {
  readonly descriptor: number
  readonly size: number
}

/** An object that is elsewhere: what of it has been brought here so far. */
export interface PagedSource {
  readonly size: number
  readonly pageBytes: number
  /** By page number, in shared memory; the last page of the object is shorter. */
  readonly pages: ReadonlyMap<number, Uint8Array>
}

/**
 * A job needs bytes that are not here: bring those from `start` on and run it again. Whoever runs
 * jobs over pages sees it, and nobody else.
 */
export class MissingBytes extends Error {
  readonly start: number
  readonly end: number

  /** @param end bytes up to here would be used; the first of them are needed */
  constructor(start: number, end: number) {
    super(`bytes ${start} to ${end} have not been fetched`)
    this.start = start
    this.end = end
  }
}

/**
 * Fills as much of `into` as the file has from `position` on; returns how many bytes that were.
 * @throws MissingBytes when not all of them are here
 */
export function readFully(source: ByteSource, into: Uint8Array, position: number): number {
  return readLeast(source, into, position, into.length)
}

/**
 * As readFully, but is content with `least` bytes (or the rest of the file) when the others are not
 * here. Of a file of this machine it reads all there are.
 * @throws MissingBytes when not even these are here
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

/** Damage found at a place of a file. Positions are no health data. */
export function damage(what: string, byteOffset: number, cause?: unknown): EngineError {
  return new EngineError('corrupt_source', `${what} at byte ${byteOffset} of the file`, {
    cause,
  })
}
