import { type Database, rowsOf } from './database.ts'

export type Row = readonly unknown[]

export interface RowGroup {
  /** The value of the first column. */
  readonly key: string
  readonly rows: readonly Row[]
}

/** Rows of a query that is sorted by its first column, all of one value together. */
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
 * Rows of a query that is sorted by its first column, handed out value by value in the memory of one
 * batch. Values have to be asked for in the order of the rows, and none may be left out.
 */
export class SortedRows {
  readonly #batches: AsyncGenerator<readonly Row[], void, undefined>
  #batch: readonly Row[] = []
  #next = 0

  constructor(database: Database, sql: string) {
    this.#batches = rowsOf(database, sql)
  }

  /** The rows of one value, in batches; none when the next rows are of another one. */
  async *of(key: string): AsyncGenerator<readonly Row[], void, undefined> {
    while ((await this.#fill()) && this.#batch[this.#next]?.[0] === key) {
      const start = this.#next
      while (this.#batch[this.#next]?.[0] === key) this.#next++
      yield this.#batch.slice(start, this.#next)
    }
  }

  /** Whether all rows were handed out. */
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
