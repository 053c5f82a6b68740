import { type ChildProcess, execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  findPostgres,
  makeCluster,
  owner,
  stopServer,
} from '../../../bench/commons/search/postgres/cluster.ts'
import type { Machine, Network } from './network.ts'

const USER = 'bench'
export const DATABASE_PORT = 5432

/** A PostgreSQL primary and a synchronous standby, each on a machine of its own. */
export class DatabasePair {
  readonly #network: Network
  readonly #folder: string
  readonly #programs: string
  readonly #servers = new Map<string, ChildProcess>()

  /** @param folder an empty one that PostgreSQL's user may enter */
  constructor(network: Network, folder: string) {
    this.#network = network
    this.#folder = folder
    this.#programs = findPostgres() ?? ''
    const { uid, gid } = owner()
    mkdirSync(folder)
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  }

  async start(primary: Machine, standby: Machine): Promise<void> {
    const data = this.#dataOf(primary)
    makeCluster(this.#programs, data)
    appendFileSync(join(data, 'pg_hba.conf'), 'host all,replication all all trust\n')
    // An acknowledged commit is stored on both servers.
    this.#run(primary)
    await this.#untilIt(primary, 'SELECT 1')
    await this.#follow(standby, primary)
    // The balancer checks the servers as this role.
    await this.#untilIt(primary, 'CREATE ROLE casemill_check LOGIN')
  }

  /** Ends a server as the loss of its machine would. It does not come back. */
  async lose(machine: Machine): Promise<void> {
    const server = this.#servers.get(machine.name)
    if (server) await stopServer(server, 'SIGQUIT')
  }

  /** Copies a primary, and starts a standby that confirms its commits. */
  async #follow(standby: Machine, primary: Machine): Promise<void> {
    const from = ['-h', primary.address, '-U', USER, '-D', this.#dataOf(standby)]
    execFileSync(
      join(this.#programs, 'pg_basebackup'),
      [...from, '-R', '-X', 'stream', '-c', 'fast'],
      { ...owner(), cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] },
    )
    this.#run(standby)
    const streaming = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"
    await this.#untilIt(primary, `${streaming} AND application_name = 'walreceiver'`)
    // Without a standby that is connected, no write that needs its confirmation would be possible.
    await this.#set(primary, "synchronous_standby_names = '*'")
    await this.#untilIt(primary, `${streaming} AND sync_state = 'sync'`)
  }

  /** Brings a lost server back as an empty standby of the other one, whose commits it confirms from now on. */
  async rejoin(lost: Machine, primary: Machine): Promise<void> {
    rmSync(this.#dataOf(lost), { recursive: true, force: true })
    await this.#follow(lost, primary)
  }

  async #set(machine: Machine, setting: string): Promise<void> {
    await this.#untilIt(machine, `ALTER SYSTEM SET ${setting}`)
    await this.#untilIt(machine, 'SELECT pg_reload_conf()')
  }

  /** Makes the standby the primary, which commits alone from now on. */
  async promote(machine: Machine): Promise<void> {
    await this.#set(machine, "synchronous_standby_names = ''")
    const words = ['promote', '-D', this.#dataOf(machine), '-w', '-t', '60']
    execFileSync(join(this.#programs, 'pg_ctl'), words, { ...owner(), cwd: '/', stdio: 'ignore' })
    await this.#untilIt(machine, 'SELECT 1 WHERE NOT pg_is_in_recovery()')
  }

  #dataOf({ name }: Machine): string {
    return join(this.#folder, name)
  }

  #run(machine: Machine, ...settings: readonly string[]): void {
    const all = [
      `listen_addresses=${machine.address}`,
      `port=${DATABASE_PORT}`,
      'unix_socket_directories=',
      'max_connections=200',
      'shared_buffers=32MB',
      ...settings,
    ]
    const words = ['-D', this.#dataOf(machine), ...all.flatMap((setting) => ['-c', setting])]
    const { uid, gid } = owner()
    const program = join(this.#programs, 'postgres')
    // Processes enter a namespace as root, but PostgreSQL refuses to run as root.
    const drop = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', program]
    const server =
      uid === undefined
        ? this.#network.spawn(machine, program, words, { cwd: '/' })
        : this.#network.spawn(machine, 'setpriv', [...drop, ...words], { cwd: '/' })
    this.#servers.set(machine.name, server)
  }

  async #untilIt({ address, name }: Machine, sql: string): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      const client = new pg.Client({
        host: address,
        port: DATABASE_PORT,
        user: USER,
        database: 'postgres',
        connectionTimeoutMillis: 2000,
      })
      try {
        await client.connect()
        const { rowCount } = await client.query(sql)
        // A command other than a query has no row count.
        if (rowCount !== 0) return
      } catch {
        // The server is not listening yet, or still recovering.
      } finally {
        await client.end().catch(() => {})
      }
      await sleep(100)
    }
    throw new Error(`PostgreSQL at ${name} does not come to: ${sql}`)
  }
}

/** The nodes' address of the database: the balancer, which knows the primary. */
export const databaseUrl = (address: string) =>
  `postgresql://${USER}:trusted@${address}:${DATABASE_PORT}/postgres`
