import type { Connection, Submittable } from 'pg'
import type { Parameters } from '../values.ts'
import { numbered, widened } from './placeholders.ts'
import { written } from './types.ts'

/** Rows of one statement of an INSERT that was widened, as far as its parameters allow. */
const WIDTH = 100
const MAX_PARAMETERS = 65_535

interface Bound {
  readonly values: (string | Buffer | null)[]
}

/**
 * One statement, bound and executed for each of many rows, all in one message: a round trip in all
 * instead of one for each. Given to `Client.query`, which calls what is not called here.
 */
class Many implements Submittable {
  /** Set by the client when there is a limit of time. */
  callback: (error: Error | null) => void
  readonly #sql: string
  readonly #bound: readonly Bound[]
  #hasFailed = false

  constructor(sql: string, bound: readonly Bound[], callback: (error: Error | null) => void) {
    this.#sql = sql
    this.#bound = bound
    this.callback = callback
  }

  submit(connection: Connection): void {
    connection.stream.cork()
    try {
      connection.parse({ name: '', text: this.#sql, types: [] }, true)
      for (const { values } of this.#bound) {
        connection.bind({ portal: '', statement: '', values, valueMapper: (value) => value }, true)
        connection.execute({ portal: '' }, true)
      }
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handlePortalSuspended(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}

  handleError(error: Error): void {
    this.#hasFailed = true
    this.callback(error)
  }

  handleReadyForQuery(): void {
    if (!this.#hasFailed) this.callback(null)
  }
}

/** Carries a statement out for each row; `submit` hands something to the client. */
export async function runMany(
  submit: (query: Submittable) => void,
  sql: string,
  rows: readonly Parameters[],
): Promise<void> {
  const columns = rows[0]?.length ?? 0
  const width = Math.min(WIDTH, Math.floor(MAX_PARAMETERS / Math.max(columns, 1)))
  const wide = widened(sql, width)
  const wideRows = wide === undefined ? 0 : rows.length - (rows.length % width)
  if (wide !== undefined && wideRows > 0) {
    const bound = Array.from({ length: wideRows / width }, (_, i) => ({
      values: rows.slice(i * width, (i + 1) * width).flatMap((row) => row.map(written)),
    }))
    await submitted(submit, wide, bound)
  }
  const rest = rows.slice(wideRows).map((row) => ({ values: row.map(written) }))
  if (rest.length > 0) await submitted(submit, sql, rest)
}

function submitted(submit: (query: Submittable) => void, sql: string, bound: readonly Bound[]) {
  return new Promise<void>((resolve, reject) => {
    submit(new Many(numbered(sql), bound, (error) => (error ? reject(error) : resolve())))
  })
}
