import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** Where Debian's packages `radosgw`, `ceph-mon` and `ceph-osd` put their programs. */
const PROGRAMS = ['radosgw', 'radosgw-admin', 'ceph-mon', 'ceph-osd', 'ceph', 'monmaptool']
const FOLDER = '/usr/bin'
/** In memory, because the monitor waits for the disk with each of its many changes. */
const MEMORY = '/dev/shm'
/** Beginning of the name of a gateway's folder, before the id of the process that has started it. */
const FOLDER_NAME = 'casemill-ceph-'
/** A start takes about 1.5 s on an idle machine. */
const PATIENCE_MILLISECONDS = 60_000
/** Bytes that all objects together may have. They are in memory. */
const ROOM_BYTES = 8 * 2 ** 30

/** The one account. s3rver has the same, and no other. */
export const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } as const

/** A running Ceph object gateway. */
interface Ceph {
  /** Address of the gateway. */
  readonly endpoint: string
  /** Process ids of the monitor, the store and the gateway. */
  readonly processes: readonly number[]
  /** Ends all processes and removes all objects. */
  stop(): Promise<void>
}

/** Returns whether the programs of Ceph are installed. */
export function hasCeph(): boolean {
  return PROGRAMS.every((name) => existsSync(join(FOLDER, name)))
}

/**
 * Starts Ceph's object gateway with one monitor and one store in memory, all on the loopback interface and in a
 * folder of their own. Any user may do so. The programs end with the thread that has started them.
 */
export async function startCeph(): Promise<Ceph> {
  const above = existsSync(MEMORY) ? MEMORY : tmpdir()
  await removeOrphans(above)
  const folder = await mkdtemp(join(above, `${FOLDER_NAME}${process.pid}-`))
  const processes: { readonly pid: number; readonly ended: Promise<unknown> }[] = []
  const stop = async () => {
    // The gateway first: it waits for the store if that is gone.
    for (const { pid, ended } of processes.toReversed()) {
      kill(pid)
      await ended
    }
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const [monitorPort, port] = await freePorts(2)
    const fsid = randomUUID()
    const monitor = `[v2:127.0.0.1:${monitorPort}]`
    const configuration = join(folder, 'ceph.conf')
    const keys = join(folder, 'keyring')
    const map = join(folder, 'map')
    for (const name of ['mon', 'osd']) await mkdir(join(folder, name))
    const key = (await run(join(FOLDER, 'ceph-authtool'), ['--gen-print-key'])).trim()
    await writeFile(keys, keyring(key), { mode: 0o600 })
    await writeFile(configuration, configurationOf({ folder, fsid, monitor, port: port ?? 0 }))
    const call = (program: string, ...words: readonly string[]) =>
      run(join(FOLDER, program), [...words, '-c', configuration])
    const start = (program: string, ...words: readonly string[]) => {
      const all = [join(FOLDER, program), ...words, '-f', '-c', configuration]
      const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...all], { stdio: 'ignore' })
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.once('error', () => {})
      if (child.pid !== undefined) processes.push({ pid: child.pid, ended })
    }
    await run(join(FOLDER, 'monmaptool'), [
      ...['--create', '--clobber', '--addv', 'a', monitor],
      ...['--fsid', fsid, map],
    ])
    await call('ceph-mon', '-i', 'a', '--mkfs', '--monmap', map, '--keyring', keys)
    start('ceph-mon', '-i', 'a')
    await call('ceph', '--connect-timeout', '30', 'osd', 'new', fsid, '0')
    await call('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', fsid)
    start('ceph-osd', '-i', '0')
    await call(
      'radosgw-admin',
      ...['user', 'create', '--uid=casemill', '--display-name=casemill', '--max-buckets=0'],
      ...[`--access-key=${CREDENTIALS.accessKeyId}`, `--secret-key=${CREDENTIALS.secretAccessKey}`],
    )
    start('radosgw', '-n', 'client.admin')
    const endpoint = `http://127.0.0.1:${port}`
    await untilAnswered(endpoint, join(folder, 'client.admin.log'))
    return { endpoint, processes: processes.map(({ pid }) => pid), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Removes the folders of processes that were killed. */
async function removeOrphans(above: string): Promise<void> {
  for (const name of await readdir(above)) {
    const pid = name.startsWith(FOLDER_NAME) && /^\d+/.exec(name.slice(FOLDER_NAME.length))
    if (pid && !existsSync(`/proc/${pid[0]}`)) {
      await rm(join(above, name), { recursive: true, force: true })
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

async function run(program: string, words: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, words, { timeout: PATIENCE_MILLISECONDS })
  return stdout
}

/** Returns ports that nobody listens at. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  }
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) await new Promise((resolve) => server.close(resolve))
  return ports
}

async function untilAnswered(endpoint: string, log: string): Promise<void> {
  const end = performance.now() + PATIENCE_MILLISECONDS
  for (;;) {
    const answer = await fetch(endpoint).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.ok) return
    if (performance.now() > end) {
      const said = await readFile(log, 'utf8').catch(() => 'nothing')
      throw new Error(`Ceph's gateway does not answer; it has logged ${said.slice(-1000)}`)
    }
    await sleep(20)
  }
}

/** One key serves for all. */
const keyring = (key: string) => `[mon.]
key = ${key}
caps mon = "allow *"
[client.admin]
key = ${key}
caps mon = "allow *"
caps osd = "allow *"
[osd.0]
key = ${key}
caps mon = "allow profile osd"
caps osd = "allow *"
`

interface Place {
  readonly folder: string
  readonly fsid: string
  readonly monitor: string
  readonly port: number
}

const configurationOf = ({ folder, fsid, monitor, port }: Place) => `[global]
fsid = ${fsid}
mon host = ${monitor}
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr1 = false
keyring = ${join(folder, 'keyring')}
run dir = ${folder}
log file = ${join(folder, '$name.log')}
mon cluster log file = ${join(folder, 'cluster.log')}
admin socket =
pid file =
mon data = ${join(folder, 'mon')}
osd data = ${join(folder, 'osd')}
osd objectstore = memstore
memstore device bytes = ${ROOM_BYTES}
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
# The monitor otherwise gathers changes for a second, once for each pool that the gateway makes.
paxos propose interval = 0.02
paxos min wait = 0.01
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw enable usage log = false
rgw enable quota threads = false
rgw run sync thread = false
rgw num control oids = 1
rgw override bucket index max shards = 1
# The memory of removed objects is given back at once.
rgw gc max objs = 1
rgw gc obj min wait = 0
rgw gc processor period = 5
`
