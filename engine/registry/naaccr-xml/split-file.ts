import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { LineChunk } from '../ndjson-batch/line-chunks.ts'
import { MAX_PATIENT_BYTES } from './limits.ts'

// Registry files are split into blocks of whole patients on the main thread, which only looks for their ends.
// Threads read the blocks, so that a file neither blocks requests nor is limited by one core.

/** Position in the file of the bytes of a block. */
export interface BlockPlace {
  /** 1-based line on which the block starts. */
  readonly line: number
  /** Number of patients before the block. */
  readonly patients: number
  /** Number of items of the root before the block. */
  readonly rootItems: number
  /** Distinct ids of the items of the root before the block. Only the first hundred are remembered. */
  readonly rootIds: readonly string[]
  /** Whether the block is the first of the file. */
  readonly isFirst: boolean
  /** Why the block ends: after a patient, with the file, or within a patient that is too large. */
  readonly end: 'patient' | 'file' | 'cut'
}

/** Position in the file of bytes that are not divided into blocks yet. */
export type BeginPlace = Omit<BlockPlace, 'end'>

export const FILE_BEGIN: BeginPlace = Object.freeze({
  line: 1,
  patients: 0,
  rootItems: 0,
  rootIds: Object.freeze([]),
  isFirst: true,
})

/** The bytes from which blocks are made: a whole file by default, or a part of it that ends after a patient. */
interface BlockSource {
  readonly steps: AsyncIterable<FileStep>
  /** Position of the first bytes. By default the start of the file. */
  readonly begin?: BeginPlace
  /** Whether the last bytes end the file, as by default, or only a patient. */
  readonly end?: 'patient' | 'file'
}

/** Whole patients, or the end of a file, in memory that threads share. */
export interface PatientBlock extends LineChunk {
  readonly place: BlockPlace
}

/** A part of a chunk that has arrived. */
export interface FileStep {
  readonly bytes: Uint8Array
  /** Whether the step is the last part of its chunk. */
  readonly isLast: boolean
}

/** Finds the ends of patients in bytes that arrive in pieces. */
export interface Splitter {
  /** Number of patients that have ended. */
  readonly patients: number
  /** Number of items of the root so far. */
  readonly rootItems: number
  /** Distinct ids of the items of the root, up to a maximum. Later ids are appended. */
  readonly rootIds: readonly string[]
  /** Whether no further patient can end, because the file is broken. */
  readonly isBroken: boolean
  /** Returns the position after the next patient, and continues there. Undefined if no patient ends in the bytes. */
  next(bytes: Buffer): number | undefined
  /** Must be called when bytes at the start are removed. */
  removed(bytes: number): void
  /** Counts the line ends in bytes that end with a patient. */
  lineEnds(bytes: Buffer): number
}

/** Block size that takes a few milliseconds to read and is worth sending to a thread. */
const BLOCK_BYTES = 64 << 10

/** Number of bytes that are scanned between two pauses. */
export const STEP_BYTES = 16 << 10

/**
 * Yields the blocks of a file as it arrives. A patient waits only for those that arrived with it.
 * @param splitter begins where the source does
 * @param memoryFor allocates memory for a block, with room for answers before it
 */
export async function* blocksOf(
  { steps, begin = FILE_BEGIN, end: last = 'file' }: BlockSource,
  splitter: Splitter,
  turns: LoopTurns,
  memoryFor: (bytes: number) => Uint8Array<SharedArrayBuffer>,
): AsyncGenerator<PatientBlock> {
  const held = new HeldBytes()
  let place = begin
  const block = (length: number, end: BlockPlace['end']): PatientBlock => {
    const bytes = held.bytes.subarray(0, length)
    const memory = memoryFor(length)
    const start = memory.length - length
    // `set` would copy byte by byte, because other threads could read shared memory meanwhile.
    bytes.copy(Buffer.from(memory.buffer, memory.byteOffset, memory.length), start)
    const made = { number: place.line, memory, start, place: { ...place, end } }
    const line = place.line + splitter.lineEnds(bytes)
    const { idCount, ...before } = found
    place = { line, ...before, rootIds: splitter.rootIds.slice(0, idCount), isFirst: false }
    held.remove(length)
    splitter.removed(length)
    return made
  }
  /** End of the last patient found, and the counts up to there. */
  let whole = 0
  let found = { patients: 0, rootItems: 0, idCount: 0 }
  for await (const { bytes, isLast } of steps) {
    // Chunks that have already arrived would otherwise block the thread until their end.
    await turns.pause()
    held.add(bytes)
    for (;;) {
      const end = splitter.next(held.bytes)
      if (end !== undefined) {
        whole = end
        const { patients, rootItems, rootIds } = splitter
        found = { patients, rootItems, idCount: rootIds.length }
      }
      if (whole >= BLOCK_BYTES || (end === undefined && isLast && whole > 0)) {
        yield block(whole, 'patient')
        whole = 0
      }
      if (end === undefined) break
    }
    if (splitter.isBroken && isLast) return yield block(held.bytes.length, 'file')
    if (held.bytes.length > MAX_PATIENT_BYTES) return yield block(held.bytes.length, 'cut')
  }
  if (last === 'file' || held.bytes.length > 0) yield block(held.bytes.length, last)
}

/** The bytes of a patient that has not ended yet. */
class HeldBytes {
  #memory = Buffer.alloc(2 * BLOCK_BYTES)
  #length = 0

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length)
  }

  add(more: Uint8Array): void {
    const length = this.#length + more.length
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length)
      larger.set(this.bytes)
      this.#memory = larger
    }
    this.#memory.set(more, this.#length)
    this.#length = length
  }

  remove(length: number): void {
    this.#memory.copyWithin(0, length, this.#length)
    this.#length -= length
  }
}

const LF = 10
const CR = 13

/** Counts line ends: LF, CR LF, or CR. */
export function lineEndsIn(bytes: Uint8Array): number {
  let count = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte > CR) continue
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) count++
  }
  return count
}
