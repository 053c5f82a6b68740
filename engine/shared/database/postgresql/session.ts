import type { PoolClient } from 'pg'
import type { Packed } from '../../arrays/packed.ts'
import { EngineError } from '../../errors.ts'
import { unpackRows } from '../packed-rows.ts'
import type { Answer, Cursor, Session, Wanted } from '../session.ts'
import type { Parameters } from '../values.ts'
import { breaksConnection, postgresqlError, RETRY_SECONDS } from './errors.ts'
import { runMany } from './many.ts'
import { numbered, type RowsInsert, rowsInsert } from './placeholders.ts'
import type { ServerWatch } from './server-watch.ts'
import { written } from './types.ts'

/** Maximum number of prepared statements per connection. */
const CACHED_STATEMENTS = 500

/**
 * Statements that begin a transaction. A writer waits for its lock in the same message. LOCK takes no snapshot,
 * so the snapshot of the transaction is taken after the lock and includes all commits of earlier writers.
 */
const BEGIN = {
  // The timeout is longer than a client may pause while it receives a response that is read from this
  // transaction. The plan mode is for statements with hundreds of keys. On a table without statistics, a generic
  // plan scans all rows and compares each with every key, but a custom plan hashes the keys.
  read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SET LOCAL idle_in_transaction_session_timeout = '180s';
    SET LOCAL plan_cache_mode = force_custom_plan`,
  write: `BEGIN ISOLATION LEVEL REPEATABLE READ;
    LOCK TABLE schema_steps IN EXCLUSIVE MODE`,
} as const

/** Names of prepared statements. They are the same for all connections. */
export class StatementNames {
  readonly #known = new Map<string, { readonly text: string; readonly name?: string }>()

  of(sql: string): { readonly text: string; readonly name?: string } {
    const known = this.#known.get(sql)
    if (known) return known
    const text = numbered(sql)
    // The limit is exceeded only if values are put into statement texts. Further statements are not
    // prepared.
    if (this.#known.size >= CACHED_STATEMENTS) return { text }
    const named = { text, name: `s${this.#known.size}` }
    this.#known.set(sql, named)
    return named
  }
}

interface TypedInsert {
  readonly columns: readonly string[]
  readonly sql: string
}

/**
 * Converts single-row INSERTs into multi-row INSERTs that take an array per column. With one parameter per
 * value, parsing and planning would take longer than the insert itself. The types of columns are queried once
 * per statement.
 */
export class RowsInserts {
  readonly #known = new Map<string, TypedInsert | undefined>()

  /** Returns undefined for a statement that must run row by row. */
  async of(sql: string, client: PoolClient): Promise<TypedInsert | undefined> {
    if (this.#known.has(sql)) return this.#known.get(sql)
    const insert = rowsInsert(sql)
    const types = insert && (await columnTypes(insert, client))
    const typed = types && { columns: insert.columns, sql: insert.sqlOf(types) }
    if (this.#known.size < CACHED_STATEMENTS) this.#known.set(sql, typed)
    return typed
  }
}

const COLUMN_TYPES = `SELECT attname AS name, atttypid::regtype::text AS type FROM pg_attribute
  WHERE attrelid = to_regclass($1) AND attnum > 0`

/** Returns the types of the columns. Undefined if a column is missing, which the INSERT itself reports. */
async function columnTypes({ table, columns }: RowsInsert, client: PoolClient) {
  const { rows } = await client.query<{ readonly name: string; readonly type: string }>(
    COLUMN_TYPES,
    [table],
  )
  const types = new Map(rows.map(({ name, type }) => [name, type]))
  const found = columns.flatMap((column) => types.get(column) ?? [])
  return found.length === columns.length ? found : undefined
}

function valueAt(row: Parameters, column: number): string | Buffer | null {
  return written(row[column] ?? null)
}

/** State shared by all connections. */
interface SessionTools {
  readonly inserts: RowsInserts
  readonly names: StatementNames
  readonly watch: ServerWatch
}

/** A pooled connection for the duration of one transaction. */
export class PostgresqlSession implements Session {
  readonly #client: PoolClient
  readonly #kind: 'read' | 'write'
  readonly #tools: SessionTools
  #last: Promise<unknown> = Promise.resolve()
  #hasBegun = false
  #isBroken = false
  #lastCursor = 0

  constructor(client: PoolClient, kind: 'read' | 'write', tools: SessionTools) {
    this.#client = client
    this.#kind = kind
    this.#tools = tools
  }

  query(_wanted: Wanted, sql: string, parameters: Parameters): Promise<Answer> {
    return this.#inOrder(async () => {
      const values = parameters.map(written)
      const { rows, rowCount } = await this.#client.query({ ...this.#tools.names.of(sql), values })
      return { rows, changes: rowCount ?? 0 }
    })
  }

  queryEach(sql: string, rows: readonly Parameters[] | Packed): Promise<void> {
    return this.#inOrder(async () => {
      const all = rows instanceof Uint8Array ? unpackRows(rows) : rows
      const insert = all.length > 1 ? await this.#tools.inserts.of(sql, this.#client) : undefined
      if (!insert) return runMany((query) => this.#client.query(query), sql, all)
      const values = insert.columns.map((_, column) => all.map((row) => valueAt(row, column)))
      await this.#client.query({ ...this.#tools.names.of(insert.sql), values })
    })
  }

  script(sql: string): Promise<void> {
    return this.#inOrder(async () => {
      await this.#client.query(sql)
    })
  }

  cursor(sql: string, parameters: Parameters): Cursor {
    const name = `c${++this.#lastCursor}`
    let isOpen = false
    const declare = async () => {
      const text = `DECLARE ${name} NO SCROLL CURSOR FOR ${numbered(sql)}`
      await this.#client.query({ text, values: parameters.map(written) })
      isOpen = true
    }
    return {
      next: (count) =>
        this.#inOrder(async () => {
          if (!isOpen) await declare()
          const { rows } = await this.#client.query(`FETCH ${count} FROM ${name}`)
          return { rows, isLast: rows.length < count }
        }),
      close: () =>
        this.#inOrder(async () => {
          if (isOpen) await this.#client.query(`CLOSE ${name}`)
        }),
    }
  }

  async commit(): Promise<void> {
    if (!this.#hasBegun) return this.#client.release()
    try {
      const { command } = await this.#inOrder(() => this.#client.query('COMMIT'))
      // PostgreSQL answers COMMIT with ROLLBACK, without an error, after a failed statement.
      if (command === 'ROLLBACK') throw new Error('a transaction was rolled back at its commit')
      if (this.#kind === 'write') this.#tools.watch.noteCommit()
      this.#client.release()
    } catch (error) {
      this.#client.release(true)
      throw this.#isBroken ? unconfirmed(error) : error
    }
  }

  async rollback(): Promise<void> {
    // The connection returns to the pool after the rollback. The caller need not wait for that.
    this.#leadBack().then(
      () => this.#client.release(),
      () => this.#client.release(true),
    )
  }

  async #leadBack(): Promise<void> {
    if (this.#isBroken) throw new Error('the connection is broken')
    if (this.#hasBegun) await this.#inOrder(() => this.#client.query('ROLLBACK'))
  }

  /** Queues statements, because the client runs one statement at a time. */
  #inOrder<Result>(act: () => Promise<Result>): Promise<Result> {
    const step = () => this.#step(act)
    const next = this.#last.then(step, step)
    this.#last = next
    return next
  }

  async #step<Result>(act: () => Promise<Result>): Promise<Result> {
    try {
      const begun = async () => {
        if (!this.#hasBegun) {
          this.#hasBegun = true
          await this.#client.query(BEGIN[this.#kind])
        }
        return act()
      }
      // Ending the connection makes the pending statement fail.
      return await this.#tools.watch.during(begun, () => this.#client.end())
    } catch (error) {
      this.#isBroken ||= breaksConnection(error)
      throw postgresqlError(error)
    }
  }
}

function unconfirmed(cause: unknown): EngineError {
  const message =
    'the connection to the database was lost before it confirmed a transaction, which may or may not have been kept'
  return new EngineError('unavailable', message, { cause, retryAfterSeconds: RETRY_SECONDS })
}
