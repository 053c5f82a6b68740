import type { Packed } from '../arrays/packed.ts'
import type { Parameters } from './values.ts'

/** Part of a result to return: all rows, the first row, or only the number of changed rows. */
export type Wanted = 'all' | 'first' | 'changes'

/** Result of a statement. */
export interface Answer {
  /** Empty if only the number of changed rows is wanted. */
  readonly rows: readonly unknown[]
  /** Number of changed rows. */
  readonly changes: number
}

/** The next rows of a cursor. */
export interface Page {
  readonly rows: readonly unknown[]
  /** Whether no rows follow. */
  readonly isLast: boolean
}

/** Position in the rows of a SELECT. The statement runs at the first `next`. */
export interface Cursor {
  next(count: number): Promise<Page>
  close(): Promise<void>
}

/**
 * A connection with a transaction of its own, which begins with the first statement. Statements run in the order
 * of the calls, even if the caller does not await them.
 */
export interface Session {
  query(wanted: Wanted, sql: string, parameters: Parameters): Promise<Answer>
  /** @param rows some rows, or one serialized chunk, whose memory may be transferred away */
  queryEach(sql: string, rows: readonly Parameters[] | Packed): Promise<void>
  cursor(sql: string, parameters: Parameters): Cursor
  /** Runs several statements without parameters. */
  script(sql: string): Promise<void>
  /** Commits. Resolves when everything is durable. The session ends in any case. */
  commit(): Promise<void>
  /** Rolls back. Never rejects: a connection that cannot be rolled back is closed. */
  rollback(): Promise<void>
}
