import type { Availability } from '../availability.ts'
import type { PackedRows } from './packed-rows.ts'
import type { Parameters } from './values.ts'

/** A statement that is carried out for each of many rows of parameters. */
export interface RowsOf {
  readonly sql: string
  readonly rows: readonly Parameters[]
}

/** Which SQL is spoken. Statements are written once; whoever asks for this has left that ground. */
export type Dialect = 'sqlite' | 'postgresql'

/**
 * Statements over one state of the database. SQL has `?` for each parameter and keeps to what both
 * dialects have. Integers come as numbers (one beyond 2^53 - 1 is an error), bytes as Uint8Array.
 */
export interface Rows {
  /** All rows of an answer that is known to be small. */
  all<Row>(sql: string, parameters?: Parameters): Promise<Row[]>

  /** The first row; undefined without one. */
  get<Row>(sql: string, parameters?: Parameters): Promise<Row | undefined>

  /**
   * The rows of a SELECT one after the other, some hundred of them in memory at a time. The tables it
   * reads are not to be changed in the meantime.
   */
  each<Row>(sql: string, parameters?: Parameters): AsyncIterable<Row>
}

/**
 * Statements of one write transaction. One that fails dooms it in both dialects: what follows is
 * refused, and nothing is kept, even when the error was caught.
 */
export interface Transaction extends Rows {
  /** Runs a statement; returns how many rows it changed. */
  run(sql: string, parameters?: Parameters): Promise<{ readonly changes: number }>

  /** Runs one statement for each of many rows of parameters, far quicker than `run` in a loop. */
  runEach(sql: string, rows: Iterable<Parameters> | PackedRows): Promise<void>
}

export interface AccessOptions {
  /** Ends the wait for one's turn; what has begun is not interrupted. */
  readonly signal?: AbortSignal
}

/**
 * A database of mutable state. Errors from outside are an EngineError, `busy` or `unavailable`; a
 * violated constraint is a ConstraintError; anything else is a bug.
 */
export interface Database {
  readonly dialect: Dialect

  /** The rows of one SELECT, which is a snapshot by itself: for small questions, quicker than `read`. */
  ask<Row>(sql: string, parameters?: Parameters): Promise<Row[]>

  /** Runs `work` over one snapshot: what is committed meanwhile, here or elsewhere, is not seen. */
  read<Result>(work: (rows: Rows) => Promise<Result>, options?: AccessOptions): Promise<Result>

  /**
   * Runs `work` in a write transaction. Writers, also those of other processes and machines, come one
   * after the other, so that what is read inside is still true at the commit. Resolves when all of it
   * is durable; rejects when none of it is kept. `work` runs once and waits for nothing but its own
   * statements: all other writers wait for it, and a `write` inside a `write` waits in vain.
   */
  write<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: AccessOptions,
  ): Promise<Result>

  /** Whether it answers: for monitoring, since it may have changed by the next statement. */
  availability(): Promise<Availability>

  /** Takes no new work, waits for what is under way, gives everything back. */
  close(): Promise<void>
}

/** A statement went against a constraint. Names no value: what collides may say who a patient is. */
export class ConstraintError extends Error {
  override readonly name = 'ConstraintError'
  readonly kind: 'unique' | 'foreign_key' | 'check' | 'not_null'

  constructor(kind: ConstraintError['kind']) {
    super(`a statement violates a ${kind} constraint`)
    this.kind = kind
  }
}
