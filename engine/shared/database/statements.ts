import type { Transaction } from './database.ts'
import { chunksOf, type PackedRows } from './packed-rows.ts'
import type { Cursor, Session } from './session.ts'
import type { Parameters } from './values.ts'
import { storable } from './values.ts'

/** Rows of parameters sent to the database at a time. */
const ROWS_AT_ONCE = 1000

/** Target size of a page of `each` in bytes, and its maximum number of rows. */
const PAGE_BYTES = 256 * 1024
const MAX_PAGE_ROWS = 1000
const FIRST_PAGE_ROWS = 32

/**
 * Runs the statements of one transaction. After the first failure, or after the end of the transaction, every
 * further statement fails. This is the same in both dialects.
 */
export class Statements implements Transaction {
  readonly #session: Session
  #failure: { readonly error: unknown } | undefined
  #hasEnded = false
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(session: Session) {
    this.#session = session
  }

  async all<Row>(sql: string, parameters: Parameters = []): Promise<Row[]> {
    const query = () => this.#session.query('all', sql, storable(parameters))
    return (await this.#attempt(query)).rows as Row[]
  }

  async get<Row>(sql: string, parameters: Parameters = []): Promise<Row | undefined> {
    const query = () => this.#session.query('first', sql, storable(parameters))
    return (await this.#attempt(query)).rows[0] as Row | undefined
  }

  async run(sql: string, parameters: Parameters = []): Promise<{ readonly changes: number }> {
    const query = () => this.#session.query('changes', sql, storable(parameters))
    return { changes: (await this.#attempt(query)).changes }
  }

  async runEach(sql: string, rows: Iterable<Parameters> | PackedRows): Promise<void> {
    const chunks = 'chunks' in rows ? rows.chunks : chunksOf(rows, ROWS_AT_ONCE)
    // The next chunk is prepared while the database processes the current one.
    let underWay: Promise<void> | undefined
    for (const chunk of chunks) {
      const next = this.#attempt(() =>
        this.#session.queryEach(sql, Array.isArray(chunk) ? chunk.map(storable) : chunk),
      )
      // The error is thrown below, or an earlier chunk has failed already.
      next.catch(() => {})
      await underWay
      underWay = next
    }
    await underWay
  }

  async *each<Row>(
    sql: string,
    parameters: Parameters = [],
    rowsAtOnce = MAX_PAGE_ROWS,
  ): AsyncIterable<Row> {
    const cursor = this.#session.cursor(sql, storable(parameters))
    try {
      yield* this.#pages<Row>(cursor, rowsAtOnce)
    } finally {
      // The end of the transaction has closed all cursors.
      if (!this.#hasEnded && !this.#failure) await this.#attempt(() => cursor.close())
    }
  }

  async *#pages<Row>(cursor: Cursor, rowsAtOnce: number): AsyncIterable<Row> {
    let count = Math.min(FIRST_PAGE_ROWS, rowsAtOnce)
    for (;;) {
      const { rows, isLast } = await this.#attempt(() => cursor.next(count))
      yield* rows as readonly Row[]
      if (isLast) return
      const wanted = Math.floor((PAGE_BYTES * rows.length) / weightOf(rows))
      count = Math.min(Math.max(wanted, 1), 2 * count, rowsAtOnce)
    }
  }

  /**
   * Rejects further statements and waits for the pending ones.
   * @throws the error of the first statement that failed
   */
  async end(): Promise<void> {
    this.#hasEnded = true
    await Promise.allSettled(this.#underWay)
    if (this.#failure) throw this.#failure.error
  }

  async #attempt<Result>(act: () => Promise<Result>): Promise<Result> {
    if (this.#hasEnded) throw new Error('a statement came after the end of its transaction')
    if (this.#failure) throw this.#failure.error
    let acting: Promise<Result> | undefined
    try {
      acting = act()
      this.#underWay.add(acting)
      return await acting
    } catch (error) {
      this.#failure ??= { error }
      throw error
    } finally {
      if (acting) this.#underWay.delete(acting)
    }
  }
}

/** Returns the approximate size of rows in memory, in bytes. */
function weightOf(rows: readonly unknown[]): number {
  let weight = 1
  for (const row of rows) {
    for (const value of Object.values(row as object)) {
      const isLong = typeof value === 'string' || value instanceof Uint8Array
      weight += isLong ? 16 + value.length : 16
    }
  }
  return weight
}
