/** Where the values of some rows lie. */
export interface PlacedRows {
  readonly memory: SharedArrayBuffer
  /** Of each row: where its values begin in the memory. */
  readonly offsets: Float64Array
}

/** The values of a matrix by its rows. */
export interface MatrixRows {
  /**
   * How many of some rows can be used at a time, from the first on; that is most, and each is read once,
   * where they ascend.
   */
  together(rows: Uint32Array): number

  /**
   * Works on as many rows as that; their values stay where they are until the work has settled.
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
