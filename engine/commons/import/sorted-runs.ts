import type { DatasetName } from '../datasets/define.ts'
import { HEADER_BYTES, type PartHeader, readHeader, type SortedParts } from './part-sorter.ts'
import type { Place, Spool } from './spool.ts'
import { isBefore, type StagedPart } from './staged-part.ts'

/** A run in the spool. */
interface Run extends Place {
  readonly parts: number
}

/** Bytes of memory for reading all runs of a dataset. */
const READ_BYTES = 32 << 20
/** Minimum number of bytes for reading one run. */
const MIN_RUN_BYTES = 8 << 10
/** Maximum number of bytes for reading one run. */
const MAX_RUN_BYTES = 64 << 10

/** Sorted parts in the spool. Each piece of a table gives one run (part-sorter.ts). */
export class SortedRuns {
  readonly #spool: Spool
  readonly #runs = new Map<DatasetName, Run[]>()

  constructor(spool: Spool) {
    this.#spool = spool
  }

  add({ bytes, runs }: SortedParts): void {
    let { offset } = this.#spool.add(bytes)
    for (const { dataset, parts, length } of runs) {
      const known = this.#runs.get(dataset) ?? []
      known.push({ offset, length, parts })
      this.#runs.set(dataset, known)
      offset += length
    }
  }

  /** Returns the number of parts of a dataset, or of all. */
  count(dataset?: DatasetName): number {
    const runs = dataset === undefined ? [...this.#runs.values()].flat() : this.#runs.get(dataset)
    return (runs ?? []).reduce((sum, { parts }) => sum + parts, 0)
  }

  /** Yields the parts of a dataset in the order of `isBefore`. */
  *parts(dataset: DatasetName): Generator<StagedPart, void, undefined> {
    const runs = this.#runs.get(dataset) ?? []
    const share = Math.floor(READ_BYTES / Math.max(1, runs.length))
    const bytes = Math.max(MIN_RUN_BYTES, Math.min(MAX_RUN_BYTES, share))
    const heap = new CursorHeap(runs.map((run) => new RunCursor(run, this.#spool, bytes)))
    for (let first = heap.first; first; first = heap.first) {
      yield first.take()
      heap.settleFirst()
    }
  }

  /** Removes the sorted runs of a dataset and yields their parts, in no particular order. */
  *takeAll(dataset: DatasetName): Generator<StagedPart, void, undefined> {
    const runs = this.#runs.get(dataset) ?? []
    this.#runs.delete(dataset)
    for (const run of runs) {
      const cursor = new RunCursor(run, this.#spool, MAX_RUN_BYTES)
      while (cursor.isOpen) yield cursor.take()
    }
  }
}

/** The header after the last part of a run. */
const NONE: PartHeader = { id: '', rank: 0, isDescribed: false, ending: -1, length: 0 }

/** Reads a run from its start to its end. */
class RunCursor {
  readonly #spool: Spool
  #buffer: Buffer
  /** The bytes that are read and not taken yet: buffer[#at … #filled - 1]. */
  #at = 0
  #filled = 0
  /** Offset in the spool up to which the run was read. */
  #read: number
  /** Offset in the spool of the end of the run. */
  readonly #end: number
  #next = NONE

  constructor({ offset, length }: Run, spool: Spool, bytes: number) {
    this.#spool = spool
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(bytes, length))
    this.#read = offset
    this.#end = offset + length
    this.#readHeader()
  }

  get isOpen(): boolean {
    return this.#next !== NONE
  }

  // Id of the next part. The run must be open.

  get id(): string {
    return this.#next.id
  }

  get rank(): number {
    return this.#next.rank
  }

  get place(): number {
    return this.#read - this.#filled + this.#at
  }

  /** Returns the next part and moves on to the one after it. */
  take(): StagedPart {
    const { id, rank, isDescribed, ending, length } = this.#next
    const { place } = this
    const bytes = length + Math.max(0, ending)
    this.#fill(bytes)
    // The text is copied, because the buffer is filled again.
    const text = Buffer.from(this.#buffer.subarray(this.#at, this.#at + bytes))
    this.#at += bytes
    this.#readHeader()
    const known = ending < 0 ? undefined : ending
    return { id, rank, place, length, isDescribed, ending: known, extra: null, bytes: () => text }
  }

  #readHeader(): void {
    this.#next = NONE
    if (this.#at === this.#filled && this.#read === this.#end) return
    this.#fill(HEADER_BYTES)
    this.#next = readHeader(this.#buffer, this.#at)
    this.#at += HEADER_BYTES
  }

  /** Reads until at least this many bytes are in the buffer. */
  #fill(least: number): void {
    const left = this.#filled - this.#at
    if (left >= least) return
    const before = this.#buffer.subarray(this.#at, this.#filled)
    if (least > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(2 * least)
    this.#buffer.set(before)
    const more = Math.min(this.#buffer.length - left, this.#end - this.#read)
    this.#spool.readInto(this.#buffer.subarray(left, left + more), this.#read)
    this.#read += more
    this.#at = 0
    this.#filled = left + more
  }
}

/** Finds the run whose next part comes first. It is a binary heap of open runs. */
class CursorHeap {
  readonly #cursors: RunCursor[]

  constructor(cursors: readonly RunCursor[]) {
    this.#cursors = cursors.filter(({ isOpen }) => isOpen)
    for (let i = (this.#cursors.length >> 1) - 1; i >= 0; i--) this.#sink(i)
  }

  get first(): RunCursor | undefined {
    return this.#cursors[0]
  }

  /** Moves the first run to its new place after a part was taken from it. */
  settleFirst(): void {
    if (!this.#cursors[0]?.isOpen) {
      const last = this.#cursors.pop()
      if (last && this.#cursors.length > 0) this.#cursors[0] = last
    }
    this.#sink(0)
  }

  #sink(from: number): void {
    const cursors = this.#cursors
    const sinking = cursors[from]
    if (!sinking) return
    let at = from
    for (let below = 2 * at + 1; below < cursors.length; below = 2 * at + 1) {
      const left = cursors[below] as RunCursor
      const right = cursors[below + 1]
      const isRight = right !== undefined && isBefore(right, left)
      const least = isRight ? right : left
      if (!isBefore(least, sinking)) break
      cursors[at] = least
      at = isRight ? below + 1 : below
    }
    cursors[at] = sinking
  }
}
