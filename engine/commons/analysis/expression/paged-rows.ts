import { Gate } from '../../../shared/concurrency/gate.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { EXPRESSION_NAME } from '../../release/layout.ts'
import { damage } from '../../release/manifest.ts'
import type { MatrixRows, PlacedRows } from './matrix-rows.ts'
import { readPartJob } from './read-part.ts'
import { sharedMemory } from './shared-memory.ts'

/** Location of the values of one record batch in the file. */
export interface Page {
  /** First row of the batch. */
  readonly row: number
  /** File offset of the values in bytes. */
  readonly position: number
  readonly bytes: number
  readonly crc32: number
}

interface PagedMatrix {
  readonly descriptor: number
  /** Size of a row's values in bytes. */
  readonly rowBytes: number
  /** Record batches that have rows, ascending by row. */
  readonly pages: readonly Page[]
}

/** Buffer for one page, reused for other pages. */
interface Slot {
  readonly memory: SharedArrayBuffer
  uses: number
  /** The page in the buffer. `done` resolves when it has been read and verified. */
  loaded: { readonly page: number; readonly done: Promise<void> } | undefined
}

/** Maximum number of calls that wait for a free buffer. */
const MAX_WAITING = 10_000

/**
 * Rows of a matrix that is larger than its memory limit. Record batches are read on demand, verified by
 * checksum, and kept in a least-recently-used cache. The file must stay open while rows are used.
 */
export class PagedRows implements MatrixRows {
  readonly #matrix: PagedMatrix
  readonly #executor: Executor
  readonly #slotBytes: number
  readonly #maxSlots: number
  /** Permits as many calls of `use` as there are buffers, so that each call finds one for its page. */
  readonly #gate: Gate
  /** Buffers, least recently used first. */
  readonly #slots = new Set<Slot>()
  readonly #byPage = new Map<number, Slot>()

  /** @param memoryBytes memory for all cached pages; at least one page is kept */
  constructor(matrix: PagedMatrix, executor: Executor, memoryBytes: number) {
    this.#matrix = matrix
    this.#executor = executor
    this.#slotBytes = matrix.pages.reduce((most, { bytes }) => Math.max(most, bytes), 1)
    this.#maxSlots = Math.max(1, Math.floor(memoryBytes / this.#slotBytes))
    const busy = 'too much of expression is being read; try again soon'
    this.#gate = new Gate(this.#maxSlots, MAX_WAITING, busy)
  }

  /** Total size of the cached pages in bytes. */
  get memoryBytes(): number {
    return this.#slots.size * this.#slotBytes
  }

  together(rows: Uint32Array): number {
    const number = this.#pageOf(rows[0] ?? 0)
    const [start, end] = [this.#page(number).row, this.#endOf(number)]
    let count = 1
    while (count < rows.length && rows[count]! >= start && rows[count]! < end) count++
    return count
  }

  async use<Result>(
    rows: Uint32Array,
    signal: AbortSignal,
    work: (placed: PlacedRows) => Result | Promise<Result>,
  ): Promise<Result> {
    const leave = await this.#gate.enter(signal)
    try {
      const number = this.#pageOf(rows[0] ?? 0)
      const slot = this.#slotOf(number)
      slot.uses++
      try {
        await slot.loaded?.done
        signal.throwIfAborted()
        const { row } = this.#page(number)
        const offsets = Float64Array.from(rows, (one) => (one - row) * this.#matrix.rowBytes)
        return await work({ memory: slot.memory, offsets })
      } finally {
        slot.uses--
      }
    } finally {
      leave()
    }
  }

  /** Returns the buffer of a page, which may still be loading. */
  #slotOf(number: number): Slot {
    const known = this.#byPage.get(number)
    const slot = known ?? this.#freeSlot()
    // Reinserting the buffer makes it the most recently used.
    this.#slots.delete(slot)
    this.#slots.add(slot)
    if (!known) this.#load(slot, number)
    return slot
  }

  #freeSlot(): Slot {
    if (this.#slots.size < this.#maxSlots) {
      return { memory: sharedMemory(this.#slotBytes), uses: 0, loaded: undefined }
    }
    for (const slot of this.#slots) {
      if (slot.uses > 0) continue
      if (slot.loaded) this.#byPage.delete(slot.loaded.page)
      slot.loaded = undefined
      return slot
    }
    throw new Error('more pages are used than there are')
  }

  /** Takes no abort signal, because several callers may wait for the same page. */
  #load(slot: Slot, number: number): void {
    const done = this.#read(slot.memory, this.#page(number))
    slot.loaded = { page: number, done }
    this.#byPage.set(number, slot)
    done.catch(() => {
      // A failed read is not cached.
      this.#byPage.delete(number)
      slot.loaded = undefined
    })
  }

  async #read(memory: SharedArrayBuffer, { position, bytes, crc32 }: Page): Promise<void> {
    const into = new Uint8Array(memory, 0, bytes)
    const part = { descriptor: this.#matrix.descriptor, position, into, checksum: 0 }
    const found = await this.#executor.run(readPartJob, part).catch((cause: unknown) => {
      if (cause instanceof EngineError && cause.code !== 'corrupt_source') throw cause
      throw damage(EXPRESSION_NAME, 'cannot be read', cause)
    })
    if (found !== crc32) throw damage(EXPRESSION_NAME, 'is not what it was when it was opened')
  }

  #page(number: number): Page {
    const page = this.#matrix.pages[number]
    if (!page) throw new Error(`there is no page ${number}`)
    return page
  }

  #endOf(number: number): number {
    return this.#matrix.pages[number + 1]?.row ?? Number.POSITIVE_INFINITY
  }

  /** Returns the number of the page that holds a row. */
  #pageOf(row: number): number {
    const { pages } = this.#matrix
    let [low, high] = [0, pages.length]
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (pages[middle]!.row <= row) low = middle
      else high = middle
    }
    return low
  }
}
