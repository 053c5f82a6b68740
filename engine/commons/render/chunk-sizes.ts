/** Number of rows of the first chunk, small so that it is sent early. Fewer if records are large. */
const FIRST_ROWS = 50
const FIRST_LARGE_ROWS = 8
/** Maximum ratio between the sizes of successive chunks. Several are started before the cost of any is known. */
const GROWTH = 2
const MAX_ROWS = 4000
/** Maximum number of rows per chunk if rows are written from columns, which is ten times as fast. */
const MAX_COLUMN_ROWS = 1 << 15
/** Target cost of a chunk, in units of `ChunkOutput.work`. It takes a few milliseconds. */
const AIM = 1 << 20

/** Chooses the row count of the next chunk from the cost of the chunks so far. */
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
