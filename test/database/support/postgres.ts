import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  findPostgres,
  makeCluster,
  owner,
  stopServer,
} from '../../../bench/search/postgres/cluster.ts'

const programs = findPostgres()
if (!programs && process.env.REQUIRE_CLIENTS === '1') throw new Error('PostgreSQL is required')

/** Whether Debian's package of PostgreSQL is installed. */
export const hasPostgres = programs !== undefined

/** A PostgreSQL server in a folder of its own, with each database asked for in a schema of its own. */
export class PostgresServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'casemill-pg-'))
  #process: ChildProcess | undefined
  #schemas = 0

  async start(): Promise<void> {
    const data = join(this.#folder, 'data')
    if (this.#schemas === 0) {
      const { uid, gid } = owner()
      if (uid !== undefined && gid !== undefined) chownSync(this.#folder, uid, gid)
      makeCluster(programs ?? '', data)
    }
    const words = ['-D', data, '-c', `unix_socket_directories=${this.#folder}`]
    this.#process = spawn(
      join(programs ?? '', 'postgres'),
      [
        ...words,
        '-c',
        'listen_addresses=',
        '-c',
        'max_connections=100',
        '-c',
        'shared_buffers=32MB',
      ],
      { ...owner(), stdio: 'ignore', cwd: '/' },
    )
    await this.#untilReady()
    if (this.#schemas === 0) await this.#do('CREATE SCHEMA s0')
  }

  /** Ends it as a crash would: nothing is written that is not written yet. */
  async crash(): Promise<void> {
    if (this.#process) await stopServer(this.#process, 'SIGQUIT')
  }

  async stop(): Promise<void> {
    if (this.#process) await stopServer(this.#process)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** The URL of an empty database. */
  async url(): Promise<string> {
    const schema = `s${++this.#schemas}`
    await this.#do(`CREATE SCHEMA ${schema}`)
    const options = encodeURIComponent(`-c search_path=${schema}`)
    const host = encodeURIComponent(this.#folder)
    return `postgresql://bench:opensesame@/postgres?host=${host}&options=${options}`
  }

  async #do(sql: string): Promise<void> {
    const client = new pg.Client({ host: this.#folder, user: 'bench', database: 'postgres' })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }

  async #untilReady(): Promise<void> {
    for (let attempt = 0; attempt < 1000; attempt++) {
      try {
        return await this.#do('SELECT 1')
      } catch {
        await sleep(20)
      }
    }
    throw new Error('postgres does not answer')
  }
}
