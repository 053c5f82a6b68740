import type { Packed } from '../arrays/packed.ts'
import type { Parameters } from './values.ts'

/** Part of a result to return: all rows, the first row, or only the number of changed rows. */
export type Wanted = 'all' | 'first' | 'changes'

export interface Answer {
  readonly rows: readonly unknown[]
  readonly changes: number
}

export interface Page {
  readonly rows: readonly unknown[]
  readonly isLast: boolean
}

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
