import type { Connection, Submittable } from 'pg'
import type { Parameters } from '../values.ts'
import { numbered } from './placeholders.ts'
import { written } from './types.ts'

interface Bound {
  readonly values: (string | Buffer | null)[]
}

/**
 * Binds and executes one statement for many rows in a single message. This takes one round trip instead of one
 * per row. `Client.query` calls these methods.
 */
class Many implements Submittable {
  /** Callback for the result. The client replaces it if the query has a time limit. */
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

/**
 * Runs a statement for each row.
 * @param submit passes the query to the client
 */
export function runMany(
  submit: (query: Submittable) => void,
  sql: string,
  rows: readonly Parameters[],
): Promise<void> {
  const bound = rows.map((row) => ({ values: row.map(written) }))
  return new Promise<void>((resolve, reject) => {
    submit(new Many(numbered(sql), bound, (error) => (error ? reject(error) : resolve())))
  })
}
