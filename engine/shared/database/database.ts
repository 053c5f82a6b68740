import type { Availability } from '../availability.ts'
import type { PackedRows } from './packed-rows.ts'
import type { Parameters } from './values.ts'

/** A statement to run once for each row of parameters. */
export interface RowsOf {
  readonly sql: string
  readonly rows: readonly Parameters[]
}

/** SQL dialect. Statements are usually written once for both dialects. Only a few test the dialect. */
export type Dialect = 'sqlite' | 'postgresql'

/**
 * Runs queries on one snapshot of the database. SQL has `?` for each parameter and uses only what both dialects
 * support. Integers are returned as numbers, with an error beyond 2^53 - 1, and bytes as Uint8Array.
 */
export interface Rows {
  /** Returns all rows. Use it only if the result is known to be small. */
  all<Row>(sql: string, parameters?: Parameters): Promise<Row[]>

  /** Returns the first row, or undefined if there is none. */
  get<Row>(sql: string, parameters?: Parameters): Promise<Row | undefined>

  /**
   * Yields the rows of a SELECT, with some hundred in memory at a time. Do not change its tables while
   * reading.
   * @param rowsAtOnce maximum of rows in memory, for those that may have megabytes each; 1,000 by default
   */
  each<Row>(sql: string, parameters?: Parameters, rowsAtOnce?: number): AsyncIterable<Row>
}

/**
 * Runs statements of one write transaction. After a statement has failed, all later ones are rejected and the
 * transaction rolls back, in both dialects and even if the error was caught.
 */
export interface Transaction extends Rows {
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, parameters?: Parameters): Promise<{ readonly changes: number }>

  /** Runs one statement for each row of parameters. Much faster than `run` in a loop. */
  runEach(sql: string, rows: Iterable<Parameters> | PackedRows): Promise<void>
}

export interface AccessOptions {
  /** Cancels the wait for the transaction to start. A running transaction is not interrupted. */
  readonly signal?: AbortSignal
}

/**
 * A database of mutable state. External failures throw an EngineError `busy` or `unavailable`, and violated
 * constraints a ConstraintError. Any other error is a bug.
 */
export interface Database {
  readonly dialect: Dialect

  /** Runs one SELECT on its own snapshot. For small queries it is faster than `read`. */
  ask<Row>(sql: string, parameters?: Parameters): Promise<Row[]>

  /** Runs `work` on one snapshot, which does not include later commits. */
  read<Result>(work: (rows: Rows) => Promise<Result>, options?: AccessOptions): Promise<Result>

  /**
   * Runs `work` in a write transaction. Writers are serialized, across processes and machines, so that
   * everything that a transaction has read is still true when it commits. Resolves when everything is durable.
   * Rejects if nothing was written. `work` runs once and must await only its own statements, because all other
   * writers wait for it. A `write` inside a `write` deadlocks.
   */
  write<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: AccessOptions,
  ): Promise<Result>

  /** Returns whether the database answers. For monitoring only: it may change before the next statement. */
  availability(): Promise<Availability>

  /** Rejects new work, waits for work in progress and releases all resources. */
  close(): Promise<void>
}

/** A violated constraint. The message contains no values, because they may identify a patient. */
export class ConstraintError extends Error {
  override readonly name = 'ConstraintError'
  readonly kind: 'unique' | 'foreign_key' | 'check' | 'not_null'

  constructor(kind: ConstraintError['kind']) {
    super(`a statement violates a ${kind} constraint`)
    this.kind = kind
  }
}
