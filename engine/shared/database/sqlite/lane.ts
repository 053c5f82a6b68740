import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'
import { LruCache } from '../../concurrency/lru-cache.ts'
import { EngineError } from '../../errors.ts'
import { unpackRows } from '../packed-rows.ts'
import type { Answer, Page } from '../session.ts'
import type { Parameters } from '../values.ts'
import { openConnection } from './connection.ts'
import type { Commands, ThreadTask } from './protocol.ts'

/** Maximum number of compiled statements per connection. The least recently used are evicted. */
const CACHED_STATEMENTS = 200

/**
 * Page cache of the writer in KiB. A large transaction writes to pages all over an index. They do not fit into
 * SQLite's default of 2 MiB and would be read again for each row.
 */
const WRITER_CACHE_KIB = 16 * 1024

/**
 * Size of the write-ahead log in pages that triggers a checkpoint, 64 MiB. Large transactions exceed the default
 * of 1,000 pages. With the higher limit, an index page that several transactions change is copied back only
 * once.
 */
const CHECKPOINT_PAGES = 16_000

type RowIterator = NodeJS.Iterator<Record<string, SQLOutputValue>>

/**
 * Opens a connection for a role.
 * @param checkpointPages pages of the write-ahead log after which a commit writes it back
 * @throws EngineError as openConnection
 */
export function openLane({ path, role }: ThreadTask, checkpointPages = CHECKPOINT_PAGES): Lane {
  const connection = openConnection(path, `database "${path}"`)
  // Makes LIKE case-sensitive, as in PostgreSQL.
  connection.exec('PRAGMA case_sensitive_like = ON')
  connection.exec(
    role === 'readers'
      ? 'PRAGMA query_only = ON'
      : `PRAGMA cache_size = -${WRITER_CACHE_KIB}; PRAGMA wal_autocheckpoint = ${checkpointPages}`,
  )
  return new Lane(connection)
}

/** A connection with its compiled statements and open cursors. */
export class Lane {
  readonly #connection: DatabaseSync
  readonly #statements = new LruCache<StatementSync>(CACHED_STATEMENTS)
  readonly #cursors = new Map<number, RowIterator>()
  /** Deadline of the transaction on the `performance` clock, in milliseconds. */
  #end = Number.POSITIVE_INFINITY

  constructor(connection: DatabaseSync) {
    this.#connection = connection
    // A SQLite statement cannot be cancelled from here, so a statement that may run for long calls in_time() for
    // each row.
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

  /** Runs a statement outside a transaction. */
  ask(sql: string, parameters: Parameters): unknown[] {
    this.#end = Number.POSITIVE_INFINITY
    return this.#statement(sql).all(...parameters.map(bound))
  }

  query({ wanted, sql, parameters }: Commands['query']): Answer {
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

  queryEach({ sql, rows }: Commands['queryEach']): void {
    this.#requireTransaction()
    const statement = this.#statement(sql)
    const all = rows instanceof Uint8Array ? unpackRows(rows) : rows
    for (const parameters of all) statement.run(...parameters.map(bound))
  }

  script({ sql }: Commands['script']): void {
    this.#requireTransaction()
    this.#connection.exec(sql)
  }

  page({ cursor, count, opens }: Commands['page']): Page {
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

  closeCursor({ cursor }: Commands['closeCursor']): void {
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
    // There may be no transaction: its lock may not have been acquired, or a full disk may already have rolled
    // it back.
    if (this.#connection.isTransaction) this.#statement('ROLLBACK').run()
  }

  close(): void {
    this.rollback()
    this.#connection.close()
  }

  /** Ensures that a transaction is open. After its end, a statement would commit by itself. */
  #requireTransaction(): void {
    if (!this.#connection.isTransaction) throw new Error('the transaction has ended')
  }

  /** Compiles a new statement for each cursor, because a compiled statement has only one position in its rows. */
  #open(sql: string, parameters: Parameters): RowIterator {
    return this.#connection.prepare(sql).iterate(...parameters.map(bound))
  }

  #statement(sql: string): StatementSync {
    return this.#statements.of(sql, () => this.#connection.prepare(sql))
  }
}

/** Converts integers to bigint: numbers are bound as floating point, so in a text column 5 would become "5.0". */
function bound(value: Parameters[number]): SQLInputValue {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
}
