/** Where the values of some rows are in memory. */
export interface PlacedRows {
  readonly memory: SharedArrayBuffer
  /** Byte offset in `memory` of each row's values. */
  readonly offsets: Float64Array
}

/** Access to the values of a matrix by row. */
export interface MatrixRows {
  /**
   * Returns how many of the rows, counted from the first, may be passed to one call of `use`. If rows are
   * ascending, each page is then read only once.
   */
  together(rows: Uint32Array): number

  /**
   * Runs a function on the values of the rows. Pass at most as many rows as `together` returns. The values stay
   * in memory until the function's promise settles.
   * @throws EngineError busy, corrupt_source, unavailable; the signal's reason when it aborts
   */
  use<Result>(
    rows: Uint32Array,
    signal: AbortSignal,
    work: (placed: PlacedRows) => Result | Promise<Result>,
  ): Promise<Result>
}

/** Rows of a matrix that is in memory as a whole. */
export class RowsInMemory implements MatrixRows, PlacedRows {
  readonly memory: SharedArrayBuffer
  readonly offsets: Float64Array

  constructor({ memory, offsets }: PlacedRows) {
    this.memory = memory
    this.offsets = offsets
  }

  together(rows: Uint32Array): number {
    return rows.length
  }

  async use<Result>(
    rows: Uint32Array,
    _signal: AbortSignal,
    work: (placed: PlacedRows) => Result | Promise<Result>,
  ): Promise<Result> {
    return work(this.placed(rows))
  }

  placed(rows: Uint32Array): PlacedRows {
    const { memory, offsets } = this
    return { memory, offsets: Float64Array.from(rows, (row) => offsets[row]!) }
  }
}
