/** Locations of the values of some rows. */
export interface PlacedRows {
  readonly memory: SharedArrayBuffer
  /** Byte offset of each row's values in the memory. */
  readonly offsets: Float64Array
}

/** The values of a matrix by row. */
export interface MatrixRows {
  /**
   * Returns how many of the rows, from the first on, can be used together. With ascending rows, using that
   * many at a time reads each only once.
   */
  together(rows: Uint32Array): number

  /**
   * Runs work on at most that many rows. Their values stay in place until the work has settled.
   * @throws EngineError busy, corrupt_source, unavailable; the signal's reason when it aborts
   */
  use<Result>(
    rows: Uint32Array,
    signal: AbortSignal,
    work: (placed: PlacedRows) => Result | Promise<Result>,
  ): Promise<Result>
}

/** All rows in memory. */
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
