import { type Database, rowsOf } from './database.ts'

export type Row = readonly unknown[]

interface RowGroup {
  /** Value of the first column. */
  readonly key: string
  readonly rows: readonly Row[]
}

/** Yields the rows of a query, sorted by its first column, in groups of equal values of that column. */
export async function* groupsOf(
  database: Database,
  sql: string,
): AsyncGenerator<RowGroup, void, undefined> {
  let open: { readonly key: string; readonly rows: Row[] } | undefined
  for await (const rows of rowsOf(database, sql)) {
    for (const row of rows) {
      const key = String(row[0])
      if (open?.key === key) open.rows.push(row)
      else {
        if (open) yield open
        open = { key, rows: [row] }
      }
    }
  }
  if (open) yield open
}

/**
 * Looks up rows of a query by the values of its first column, by which the query must be sorted. Keeps one batch
 * in memory. Values must be requested in the order of the rows, without omitting any.
 */
export class SortedRows {
  readonly #batches: AsyncGenerator<readonly Row[], void, undefined>
  #batch: readonly Row[] = []
  #next = 0

  constructor(database: Database, sql: string) {
    this.#batches = rowsOf(database, sql)
  }

  /** Yields the rows with a key in batches. Yields none if the next row has another key. */
  async *of(key: string): AsyncGenerator<readonly Row[], void, undefined> {
    while ((await this.#fill()) && this.#batch[this.#next]?.[0] === key) {
      const start = this.#next
      while (this.#batch[this.#next]?.[0] === key) this.#next++
      yield this.#batch.slice(start, this.#next)
    }
  }

  /** Returns whether the next row has a key. */
  async isAt(key: string): Promise<boolean> {
    return (await this.#fill()) && this.#batch[this.#next]?.[0] === key
  }

  /** Returns whether all rows have been returned. */
  async isAtEnd(): Promise<boolean> {
    return !(await this.#fill())
  }

  async close(): Promise<void> {
    await this.#batches.return()
  }

  async #fill(): Promise<boolean> {
    while (this.#next >= this.#batch.length) {
      const { value, done } = await this.#batches.next()
      if (done) return false
      this.#batch = value
      this.#next = 0
    }
    return true
  }
}
