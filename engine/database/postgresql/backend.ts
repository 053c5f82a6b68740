import pg from 'pg'
import { EngineError } from '../../errors.ts'
import type { Parameters } from '../database.ts'
import type { Session } from '../session.ts'
import { type Backend, READERS } from '../session-database.ts'
import { breaksConnection, postgresqlFault } from './faults.ts'
import { PostgresqlSession, StatementNames } from './session.ts'
import { TYPES, written } from './types.ts'

/** Limits of the server's side first, so that it tells why; the client's own for a dead network. */
const LIMITS = {
  connectionTimeoutMillis: 10_000,
  lock_timeout: 10_000,
  statement_timeout: 60_000,
  idle_in_transaction_session_timeout: 60_000,
  query_timeout: 75_000,
  keepAlive: true,
  idleTimeoutMillis: 60_000,
}

/** Whoever makes the first table of a database; any number that others will not use. */
const FIRST_TABLE_LOCK = 2_027_413_901

interface Settings {
  readonly encoding: string
  readonly fsync: string
  readonly commit: string
  readonly isNew: number
}

/** A database of a PostgreSQL server. */
export class PostgresqlBackend implements Backend {
  readonly dialect = 'postgresql'
  readonly #pool: pg.Pool
  readonly #names = new StatementNames()

  /** @throws EngineError `bad_input` for a URL that cannot be read; it is not repeated */
  constructor(url: string) {
    const settings = { connectionString: url, application_name: 'casemill', types: TYPES }
    requireReadable(url)
    this.#pool = new pg.Pool({ ...settings, ...LIMITS, max: READERS + 1 })
    // Whoever uses a connection is told by its statement; unused ones are replaced.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  async session(kind: 'read' | 'write'): Promise<Session> {
    return new PostgresqlSession(await this.#connect(), kind, this.#names)
  }

  async ask(sql: string, parameters: Parameters): Promise<unknown[]> {
    const client = await this.#connect()
    try {
      const values = parameters.map(written)
      const { rows } = await client.query({ ...this.#names.of(sql), values })
      client.release()
      return rows
    } catch (error) {
      client.release(breaksConnection(error))
      throw postgresqlFault(error)
    }
  }

  /**
   * Looks whether the server can be trusted with what is acknowledged, and makes the first table.
   * @throws EngineError `unavailable` otherwise
   */
  async prepare(firstTable: string): Promise<void> {
    const client = await this.#connect()
    try {
      const { rows } = await client.query<Settings>(`
        SELECT current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
          current_setting('synchronous_commit') AS commit,
          to_regclass('schema_steps') IS NULL AS "isNew"`)
      const [settings] = rows
      if (settings) requireTrustworthy(settings)
      if (settings?.isNew === 1) {
        await client.query(
          `BEGIN; SELECT pg_advisory_xact_lock(${FIRST_TABLE_LOCK}); ${firstTable}; COMMIT`,
        )
      }
      client.release()
    } catch (error) {
      client.release(true)
      throw postgresqlFault(error)
    }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw postgresqlFault(error)
    }
  }
}

function requireReadable(url: string): void {
  try {
    new pg.Client({ connectionString: url })
  } catch {
    // The library's error has all of the URL in it.
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
      'the database acknowledges what it may lose; turn its settings fsync and synchronous_commit on',
    )
  }
}
