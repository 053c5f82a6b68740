import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { LruCache } from '../../concurrency/lru-cache.ts'
import { EngineError } from '../../errors.ts'
import { unpackRows } from '../packed-rows.ts'
import type { Answer, Page } from '../session.ts'
import type { Parameters } from '../values.ts'
import { openConnection } from './connection.ts'
import type { Asked, ThreadTask } from './protocol.ts'

/** Compiled statements kept per connection, longest unused go first. */
const CACHED_STATEMENTS = 200

/**
 * Pages that the writer keeps, in KiB: an index that a large transaction fills all over does not fit
 * into the 2 MiB that SQLite keeps by itself, and would be read again for each row.
 */
const WRITER_CACHE_KIB = 16 * 1024

/**
 * Pages of the write-ahead log, 64 MiB of them, after which they go to the database: a large transaction
 * has more than the 1,000 that SQLite waits for by itself, and a page of an index that several of them
 * change is then copied once.
 */
const CHECKPOINT_PAGES = 16_000

type RowIterator = NodeJS.Iterator<Record<string, SQLOutputValue>>

/** @throws EngineError as openConnection */
export function openLane({ path, role }: ThreadTask): Lane {
  const connection = openConnection(path, `database "${path}"`)
  // As PostgreSQL compares.
  connection.exec('PRAGMA case_sensitive_like = ON')
  connection.exec(
    role === 'readers'
      ? 'PRAGMA query_only = ON'
      : `PRAGMA cache_size = -${WRITER_CACHE_KIB}; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  )
  return new Lane(connection)
}

/** A connection with its compiled statements and open cursors. */
export class Lane {
  readonly #connection: DatabaseSync
  readonly #statements = new LruCache<StatementSync>(CACHED_STATEMENTS)
  readonly #cursors = new Map<number, RowIterator>()
  /** When the time of the transaction is over, by the clock of `performance`. */
  #end = Number.POSITIVE_INFINITY

  constructor(connection: DatabaseSync) {
    this.#connection = connection
    // SQLite itself has no signal to break a statement off: statements that may run for long
    // ask for each row whether they are in time.
    connection.function('limit_time', (milliseconds) => {
      this.#end = performance.now() + Number(milliseconds)
      return 0
    })
    connection.function('in_time', () => {
      if (performance.now() <= this.#end) return 1
      throw new EngineError(
        'busy',
        'the database broke off a statement that took too long; try again',
      )
    })
  }

  begin(mode: 'IMMEDIATE' | 'DEFERRED'): void {
    this.#end = Number.POSITIVE_INFINITY
    this.#statement(`BEGIN ${mode}`).run()
  }

  /** A statement outside of any transaction. */
  ask(sql: string, parameters: Parameters): unknown[] {
    this.#end = Number.POSITIVE_INFINITY
    return this.#statement(sql).all(...parameters.map(bound))
  }

  query({ wanted, sql, parameters }: Asked['query']): Answer {
    this.#requireTransaction()
    const statement = this.#statement(sql)
    const values = parameters.map(bound)
    if (wanted === 'all') return { rows: statement.all(...values), changes: 0 }
    if (wanted === 'changes') {
      return { rows: [], changes: Number(statement.run(...values).changes) }
    }
    const row = statement.get(...values)
    return { rows: row ? [row] : [], changes: 0 }
  }

  queryEach({ sql, rows }: Asked['queryEach']): void {
    this.#requireTransaction()
    const statement = this.#statement(sql)
    const all = rows instanceof Uint8Array ? unpackRows(rows) : rows
    for (const parameters of all) statement.run(...parameters.map(bound))
  }

  script({ sql }: Asked['script']): void {
    this.#requireTransaction()
    this.#connection.exec(sql)
  }

  page({ cursor, count, opens }: Asked['page']): Page {
    this.#requireTransaction()
    if (opens) this.#cursors.set(cursor, this.#open(opens.sql, opens.parameters))
    const iterator = this.#cursors.get(cursor)
    const rows: unknown[] = []
    while (iterator && rows.length < count) {
      const { done, value } = iterator.next()
      if (done) {
        this.#cursors.delete(cursor)
        return { rows, isLast: true }
      }
      rows.push(value)
    }
    return { rows, isLast: iterator === undefined }
  }

  closeCursor({ cursor }: Asked['closeCursor']): void {
    this.#cursors.get(cursor)?.return?.()
    this.#cursors.delete(cursor)
  }

  commit(): void {
    this.#requireTransaction()
    this.#statement('COMMIT').run()
    this.#cursors.clear()
  }

  rollback(): void {
    for (const cursor of this.#cursors.keys()) this.closeCursor({ cursor })
    // A lock that was not got never began one, and a full disk has ended it already.
    if (this.#connection.isTransaction) this.#statement('ROLLBACK').run()
  }

  close(): void {
    this.rollback()
    this.#connection.close()
  }

  /** A statement behind one that ended the transaction must not be kept by itself. */
  #requireTransaction(): void {
    if (!this.#connection.isTransaction) throw new Error('the transaction has ended')
  }

  /** Not one of the kept: a statement has one place in its rows. */
  #open(sql: string, parameters: Parameters): RowIterator {
    return this.#connection.prepare(sql).iterate(...parameters.map(bound))
  }

  #statement(sql: string): StatementSync {
    return this.#statements.of(sql, () => this.#connection.prepare(sql))
  }
}

/** Numbers are bound as floating point; an integer in a column of texts would become "5.0". */
function bound(value: Parameters[number]): SQLInputValue {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
}
