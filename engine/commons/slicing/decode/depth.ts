import { EngineError } from '../../../shared/errors.ts'
import { cigarOf } from '../../../shared/formats/bam-tags.ts'
import type { RecordSpan } from '../../../shared/formats/sam-text.ts'

/** Positions per page of depth changes. */
const PAGE_POSITIONS = 1 << 14
/** Maximum number of pages that records may span at a time: 16 million positions, 64 MiB. */
const MAX_PAGES = 1024

// Flags that `samtools depth` skips: unmapped, secondary, failed, duplicate.
const LEFT_OUT = 0x4 | 0x100 | 0x200 | 0x400
/** Bit set of operations that cover positions: M, = and X. Bit n is operation n of MIDNSHP=X. */
const COVERS = 0b1_1000_0001
/** Bit set of operations that skip positions: D and N. */
const PASSES = 0b0_0000_1100

/** Positions whose depth is computed, in bins of equal width except the last. 0-based and half-open. */
export interface DepthRange {
  readonly reference: number
  readonly start: number
  readonly end: number
  readonly binWidth: number
}

/** The depth at positions that later records may still change. Passed from one piece of the records to the next. */
export interface DepthState {
  /** First position that later records may still change. */
  readonly at: number
  readonly depth: number
  /** Changes of the depth from position `at` on, keyed by page number. */
  readonly pages: readonly (readonly [number: number, changes: Int32Array])[]
}

/** Depths by bin, in shared memory. */
export interface DepthBins {
  readonly sums: Float64Array
  readonly greatest: Int32Array
}

/**
 * Computes the depth at each position from sorted records, as `samtools depth -a` does. Memory depends on how
 * far the records at one position reach, not on the length of the range.
 */
export class Depth {
  readonly #range: DepthRange
  readonly #bins: DepthBins
  readonly #pages: Map<number, Int32Array>
  #at: number
  #depth: number

  constructor(range: DepthRange, bins: DepthBins, { at, depth, pages }: DepthState) {
    this.#range = range
    this.#bins = bins
    this.#pages = new Map(pages)
    this.#at = at
    this.#depth = depth
  }

  get state(): DepthState {
    return { at: this.#at, depth: this.#depth, pages: [...this.#pages] }
  }

  /**
   * Adds a record. Returns whether it counts towards the depth.
   * @throws EngineError corrupt_source for a record that starts before the previous one, too_large;
   *   FormatError like cigarOf
   */
  add({ bytes, view, at, end }: RecordSpan): boolean {
    const { reference, start } = this.#range
    if (view.getInt32(at + 4, true) !== reference) return false
    let position = view.getInt32(at + 8, true)
    if (position < this.#at && position >= start) {
      throw new EngineError('corrupt_source', 'records of the alignment file are out of order')
    }
    this.#advance(Math.min(position, this.#range.end))
    if (view.getUint16(at + 18, true) & LEFT_OUT) return false
    const cigar = cigarOf(bytes, view, at, end)
    for (let op = cigar.at; op < cigar.at + 4 * cigar.count; op += 4) {
      const word = view.getUint32(op, true)
      const length = word >>> 4
      if ((COVERS >> (word & 15)) & 1) this.#cover(position, position + length)
      if (((COVERS | PASSES) >> (word & 15)) & 1) position += length
    }
    return true
  }

  /** Settles all positions up to the end of the range, when no more records follow. */
  finish(): void {
    this.#advance(this.#range.end)
  }

  #cover(from: number, to: number): void {
    const low = Math.max(from, this.#at)
    const high = Math.min(to, this.#range.end)
    if (low >= high) return
    this.#change(low, 1)
    if (high < this.#range.end) this.#change(high, -1)
  }

  #change(position: number, by: number): void {
    const number = Math.floor(position / PAGE_POSITIONS)
    let page = this.#pages.get(number)
    if (!page) {
      if (this.#pages.size === MAX_PAGES) {
        throw new EngineError(
          'too_large',
          'reads reach over too many positions; give a smaller region',
        )
      }
      page = new Int32Array(PAGE_POSITIONS)
      this.#pages.set(number, page)
    }
    page[position % PAGE_POSITIONS]! += by
  }

  #advance(to: number): void {
    while (this.#at < to) {
      const number = Math.floor(this.#at / PAGE_POSITIONS)
      const pageEnd = (number + 1) * PAGE_POSITIONS
      const page = this.#pages.get(number)
      if (page) {
        this.#walk(page, Math.min(to, pageEnd))
        if (to >= pageEnd) this.#pages.delete(number)
      } else {
        // The depth is constant up to the next page that has a change.
        const next = this.#pages.size === 0 ? to : Math.min(to, pageEnd)
        this.#settle(next)
      }
    }
  }

  /** Reports the depth of the positions of one page, up to a limit. */
  #walk(page: Int32Array, to: number): void {
    for (let position = this.#at; position < to; position++) {
      const change = page[position % PAGE_POSITIONS]!
      if (change === 0) continue
      this.#settle(position)
      this.#depth += change
      // Cleared, because the page slot is reused for later records.
      page[position % PAGE_POSITIONS] = 0
    }
    this.#settle(to)
  }

  /** Applies the current depth to all positions up to a limit. */
  #settle(to: number): void {
    const { start, binWidth } = this.#range
    const { sums, greatest } = this.#bins
    while (this.#at < to) {
      const bin = Math.floor((this.#at - start) / binWidth)
      const end = Math.min(to, start + (bin + 1) * binWidth)
      if (this.#depth > 0) {
        sums[bin]! += this.#depth * (end - this.#at)
        if (this.#depth > greatest[bin]!) greatest[bin] = this.#depth
      }
      this.#at = end
    }
  }
}
