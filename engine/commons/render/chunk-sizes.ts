/** Rows of the first chunk, which should be there at once; fewer where a row may hold thousands. */
const FIRST_ROWS = 50
const FIRST_LARGE_ROWS = 8
/** A chunk is at most so many times the one before: the first ones start before any has ended. */
const GROWTH = 2
const MAX_ROWS = 4000
/** Rows of columns take a tenth of the time. */
const MAX_COLUMN_ROWS = 1 << 15
/** What a chunk should cost, as ChunkOutput counts it: some milliseconds of work. */
const AIM = 1 << 20

/** Decides how many rows the next chunk has, from what the chunks so far have cost. */
export class ChunkSizes {
  #last: number
  #rows = 0
  #work = 0

  readonly #most: number

  constructor({
    large = false,
    isColumns = false,
  }: { readonly large?: boolean; readonly isColumns?: boolean } = {}) {
    this.#most = isColumns ? MAX_COLUMN_ROWS : MAX_ROWS
    this.#last = (large ? FIRST_LARGE_ROWS : FIRST_ROWS) / GROWTH
  }

  next(): number {
    const fitting = this.#work > 0 ? Math.ceil((AIM * this.#rows) / this.#work) : this.#most
    this.#last = Math.min(this.#last * GROWTH, fitting, this.#most)
    return this.#last
  }

  measured(rows: number, work: number): void {
    this.#rows += rows
    this.#work += work
  }
}
