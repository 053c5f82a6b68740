import pg from 'pg'
import type { Availability } from '../../availability.ts'
import { EngineError } from '../../errors.ts'
import type { Session } from '../session.ts'
import { type Backend, READERS } from '../session-database.ts'
import type { Parameters } from '../values.ts'
import { breaksConnection, postgresqlError } from './errors.ts'
import { DATABASE_TIMES, type DatabaseTimes, ServerWatch } from './server-watch.ts'
import { PostgresqlSession, RowsInserts, StatementNames } from './session.ts'
import { TYPES, written } from './types.ts'

/** Time limits. The server's are shorter, so that its error gives the reason. The client's are for a dead network. */
const LIMITS = {
  lock_timeout: 10_000,
  statement_timeout: 60_000,
  idle_in_transaction_session_timeout: 60_000,
  query_timeout: 75_000,
  keepAlive: true,
  idleTimeoutMillis: 60_000,
}

/** Key of the advisory lock for creating the first table: an arbitrary number that is unlikely to be in use. */
const FIRST_TABLE_LOCK = 2_027_413_901

const SETTINGS = `
  SELECT current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
    current_setting('synchronous_commit') AS commit,
    to_regclass('schema_steps') IS NULL AS "isNew"`

interface Settings {
  readonly encoding: string
  readonly fsync: string
  readonly commit: string
  readonly isNew: number
}

/** Backend for a database on a PostgreSQL server. */
export class PostgresqlBackend implements Backend {
  readonly dialect = 'postgresql'
  readonly #pool: pg.Pool
  readonly #names = new StatementNames()
  readonly #inserts = new RowsInserts()
  readonly #watch: ServerWatch

  /** @throws EngineError `bad_input` if the URL is invalid; the message does not repeat it */
  constructor(url: string, times: Partial<DatabaseTimes> = {}) {
    const settings = { connectionString: url, application_name: 'casemill', types: TYPES }
    requireReadable(url)
    const { doubt, answer } = { ...DATABASE_TIMES, ...times }
    this.#watch = new ServerWatch(settings, { doubt, answer })
    // The watch cannot end a wait for a connection. The pool gives up when a probe by the watch would have ended.
    const limits = { ...LIMITS, connectionTimeoutMillis: doubt + answer }
    this.#pool = new pg.Pool({ ...settings, ...limits, max: READERS + 1 })
    // Active queries report the error themselves, and the pool replaces idle connections.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  async session(kind: 'read' | 'write'): Promise<Session> {
    const tools = { names: this.#names, inserts: this.#inserts, watch: this.#watch }
    return new PostgresqlSession(await this.#connect(), kind, tools)
  }

  async ask(sql: string, parameters: Parameters): Promise<unknown[]> {
    const client = await this.#connect()
    try {
      const values = parameters.map(written)
      const query = { ...this.#names.of(sql), values }
      const { rows } = await this.#watch.during(
        () => client.query(query),
        () => client.end(),
      )
      client.release()
      return rows
    } catch (error) {
      client.release(breaksConnection(error))
      throw postgresqlError(error)
    }
  }

  /**
   * Checks that the database is in UTF-8 and that the server's settings make commits durable. Creates the first
   * table, if the database does not have it.
   * @param firstTable SQL that creates the ledger of schema steps; undefined creates nothing
   * @throws EngineError `unavailable` if the settings are unsafe
   */
  async prepare(firstTable: string | undefined): Promise<void> {
    const client = await this.#connect()
    try {
      const { rows } = await this.#watch.during(
        () => client.query<Settings>(SETTINGS),
        () => client.end(),
      )
      const [settings] = rows
      if (settings) requireTrustworthy(settings)
      if (settings?.isNew === 1 && firstTable !== undefined) {
        const first = `BEGIN; SELECT pg_advisory_xact_lock(${FIRST_TABLE_LOCK}); ${firstTable}; COMMIT`
        await this.#watch.during(
          () => client.query(first),
          () => client.end(),
        )
      }
      client.release()
    } catch (error) {
      // The transaction may still be open, so the connection is not used again.
      client.release(true)
      throw postgresqlError(error)
    }
  }

  availability(): Promise<Availability> {
    return this.#watch.availability()
  }

  close(): Promise<void> {
    this.#watch.close()
    return this.#pool.end()
  }

  async #connect(): Promise<pg.PoolClient> {
    // The pool has a time limit of its own (connectionTimeoutMillis).
    const limitOfItsOwn = () => {}
    try {
      return await this.#watch.during(() => this.#pool.connect(), limitOfItsOwn)
    } catch (error) {
      throw postgresqlError(error)
    }
  }
}

function requireReadable(url: string): void {
  try {
    new pg.Client({ connectionString: url })
  } catch {
    // The library's error contains the whole URL, including the password.
    throw new EngineError(
      'bad_input',
      'the URL of the database cannot be read; give postgresql://USER:PASSWORD@HOST:PORT/NAME',
    )
  }
}

function requireTrustworthy({ encoding, fsync, commit }: Settings): void {
  if (encoding !== 'UTF8') {
    throw new EngineError(
      'unavailable',
      `the database has the encoding ${encoding}; create it with the encoding UTF8`,
    )
  }
  if (fsync === 'off' || commit === 'off') {
    throw new EngineError(
      'unavailable',
      'the database confirms commits that a crash can lose; turn its settings fsync and synchronous_commit on',
    )
  }
}
