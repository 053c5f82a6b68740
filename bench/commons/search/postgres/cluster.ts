import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Where Debian keeps one folder of programs per major version. */
const DEBIAN = '/usr/lib/postgresql'

/** What is set for loading and for measuring alike. */
const SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '2GB',
  work_mem: '256MB',
  maintenance_work_mem: '1GB',
  effective_cache_size: '8GB',
  max_parallel_workers: '2',
  max_parallel_workers_per_gather: '2',
  max_parallel_maintenance_workers: '2',
  // All of it is in memory.
  random_page_cost: '1.1',
  jit: 'off',
  autovacuum: 'off',
  max_wal_size: '8GB',
  max_connections: '64',
  listen_addresses: '',
}

/** Loading need not survive a crash; a load that was cut short begins anew. */
const LOADING: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
}

/** A running server of our own, reached through a socket in a folder of its own. */
export interface Cluster {
  readonly version: string
  connect(): Promise<pg.Client>
  /** For programs that connect by themselves. */
  readonly socketFolder: string
  stop(): Promise<void>
}

/** The folder of the server's programs, the newest version there is; undefined without any. */
export function findPostgres(): string | undefined {
  if (!existsSync(DEBIAN)) return undefined
  const versions = readdirSync(DEBIAN).filter((name) => /^\d+$/.test(name))
  return versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'postgres')))
}

/** PostgreSQL refuses to run as root; Debian's package made a user for it. */
export function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map((what) =>
    Number(spawnSync('id', [what, 'postgres'], { encoding: 'utf8' }).stdout),
  )
  return { uid: uid!, gid: gid! }
}

/** Makes an empty cluster. */
export function makeCluster(programs: string, folder: string): void {
  const { uid, gid } = owner()
  mkdirSync(dirname(folder), { recursive: true })
  mkdirSync(folder, { mode: 0o700 })
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const words = ['-D', folder, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']
  const { status, stderr } = spawnSync(join(programs, 'initdb'), words, {
    ...owner(),
    encoding: 'utf8',
    cwd: '/',
  })
  if (status !== 0) throw new Error(`initdb: ${stderr}`)
}

export async function startCluster(
  programs: string,
  folder: string,
  purpose: 'loading' | 'measuring',
): Promise<Cluster> {
  const socketFolder = await mkdtemp(join(tmpdir(), 'casemill-pg-'))
  const { uid, gid } = owner()
  if (uid !== undefined && gid !== undefined) chownSync(socketFolder, uid, gid)
  const settings = {
    ...SETTINGS,
    ...(purpose === 'loading' ? LOADING : {}),
    unix_socket_directories: socketFolder,
  }
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(programs, 'postgres'), ['-D', folder, ...words], {
    ...owner(),
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: '/',
  })
  let said = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000)
  })
  const connect = async () => {
    const client = new pg.Client({ host: socketFolder, user: 'bench', database: 'postgres' })
    await client.connect()
    return client
  }
  const stop = async () => {
    await stopServer(server)
    await rm(socketFolder, { recursive: true, force: true })
  }
  try {
    return { version: await untilReady(server, connect, () => said), connect, socketFolder, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function untilReady(
  server: ChildProcess,
  connect: () => Promise<pg.Client>,
  said: () => string,
): Promise<string> {
  for (let attempt = 0; attempt < 300; attempt++) {
    await sleep(100)
    if (server.exitCode !== null) break
    try {
      const client = await connect()
      const { rows } = await client.query<{ version: string }>('SELECT version()')
      await client.end()
      return rows[0]!.version
    } catch {
      // Not listening yet, or still recovering.
    }
  }
  throw new Error(`postgres does not answer: ${said()}`)
}

/** Asks for a fast shutdown: connections are closed, what is in memory is written. */
export async function stopServer(
  server: ChildProcess,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exit = once(server, 'exit')
  server.kill(signal)
  await exit
}
