import type { Packed } from '../arrays/packed.ts'
import type { Parameters } from './values.ts'

/** What of an answer is wanted: all rows, the first, or only how many rows were changed. */
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
 * A connection in a transaction of its own, which begins with the first statement. Statements are
 * carried out in the order in which they are given, also when nobody waits in between.
 */
export interface Session {
  query(wanted: Wanted, sql: string, parameters: Parameters): Promise<Answer>
  /** @param rows some, or as many as are packed in a chunk, whose memory may be taken away */
  queryEach(sql: string, rows: readonly Parameters[] | Packed): Promise<void>
  cursor(sql: string, parameters: Parameters): Cursor
  /** Several statements at once, without parameters. */
  script(sql: string): Promise<void>
  /** Resolves when all is durable. The session is over, whatever comes of it. */
  commit(): Promise<void>
  /** Never rejects: a connection that cannot be led back is given up. */
  rollback(): Promise<void>
}
