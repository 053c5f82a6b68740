import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  findPostgres,
  makeCluster,
  owner,
  stopServer,
} from '../../../../bench/commons/search/postgres/cluster.ts'

const programs = findPostgres()

/** A PostgreSQL server in a folder; each requested database is a separate schema. */
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

  /** Ends the server as a crash would: unwritten data are lost. */
  async crash(): Promise<void> {
    if (this.#process) await stopServer(this.#process, 'SIGQUIT')
    this.#process = undefined
  }

  /** Stops all processes of the server: connections stay open and are even accepted, but get no answer. */
  freeze(): void {
    const pid = this.#process?.pid
    if (pid === undefined) throw new Error('there is no server')
    process.kill(pid, 'SIGSTOP')
    for (const child of childrenOf(pid)) process.kill(child, 'SIGSTOP')
  }

  /** Resumes the server; has no effect on one that is not frozen. */
  thaw(): void {
    const pid = this.#process?.pid
    if (pid === undefined) return
    for (const child of [...childrenOf(pid), pid]) process.kill(child, 'SIGCONT')
  }

  async stop(): Promise<void> {
    if (this.#process) await stopServer(this.#process)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Creates an empty database and returns its URL. */
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

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.split(' ').filter(Boolean).map(Number)
}
