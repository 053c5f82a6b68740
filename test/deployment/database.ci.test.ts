import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync } from 'node:fs'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  findPostgres,
  makeCluster,
  owner,
  stopServer,
} from '../../bench/commons/search/postgres/cluster.ts'
import { runProgram } from '../../bin/support/program.ts'
import { available } from '../available.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { type Haproxy, startHaproxy } from './haproxy.ts'

// The documented address of the database leads only to the current primary. With a synchronous standby, no
// acknowledged commit is lost in a failover.

const HOST = '127.0.0.1'
const USER = 'bench'
const TAKES_NO_WRITES = '25006'

describe.runIf(available.postgresql && available.haproxy)('a primary and a standby', () => {
  const programs = findPostgres() ?? ''
  const running = new Map<string, ChildProcess>()
  let folder = ''
  let ports: [number, number] = [0, 0]
  let address = 0
  let proxy: Haproxy

  const ask = async (port: number, sql: string, options = '') => {
    const client = new pg.Client({ host: HOST, port, user: USER, database: 'postgres', options })
    client.on('error', () => {})
    await client.connect()
    return client.query(sql).finally(() => client.end())
  }

  const begin = async (name: string, port: number) => {
    const settings = [
      `listen_addresses=${HOST}`,
      `port=${port}`,
      `unix_socket_directories=${folder}`,
      'shared_buffers=32MB',
      'wal_level=replica',
    ]
    const words = ['-D', join(folder, name), ...settings.flatMap((each) => ['-c', each])]
    running.set(
      name,
      spawn(join(programs, 'postgres'), words, { ...owner(), stdio: 'ignore', cwd: '/' }),
    )
    await eventually(() => ask(port, 'SELECT 1'))
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casemill-failover-'))
    const { uid, gid } = owner()
    if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
    ports = [await freePort(), await freePort()]
    const [first, second] = ports
    makeCluster(programs, join(folder, 'one'))
    await begin('one', first)
    await ask(first, 'CREATE ROLE casemill_check LOGIN')
    const copied = ['-h', HOST, '-p', String(first), '-U', USER, '-D', join(folder, 'two'), '-R']
    await promisify(execFile)(join(programs, 'pg_basebackup'), copied, { ...owner(), cwd: '/' })
    const primary = `primary_conninfo='host=${HOST} port=${first} user=${USER} application_name=two'`
    await appendFile(join(folder, 'two', 'postgresql.auto.conf'), `${primary}\n`)
    await begin('two', second)
    await ask(first, "ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (one, two)'")
    await ask(first, 'SELECT pg_reload_conf()')
    await eventually(async () => {
      const { rows } = await ask(first, 'SELECT sync_state FROM pg_stat_replication')
      expect(rows).toEqual([{ sync_state: 'sync' }])
    })
    address = await freePort()
    const servers = await Promise.all([11, 12, 13].map(async (last) => [last, await freePort()]))
    proxy = await startHaproxy({
      ...Object.fromEntries(
        servers.map(([last, port]) => [`192.0.2.${last}:8080`, `${HOST}:${port}`]),
      ),
      'bind :8000': `bind ${HOST}:${await freePort()}`,
      'bind :5432': `bind ${HOST}:${address}`,
      '192.0.2.21:5432': `${HOST}:${first}`,
      '192.0.2.22:5432': `${HOST}:${second}`,
    })
    await eventually(() => expect(proxy.said()).toContain('Backup Server postgresql/two is DOWN'))
  })
  afterAll(async () => {
    await proxy?.close()
    for (const server of running.values()) await stopServer(server, 'SIGQUIT')
    await rm(folder, { recursive: true, force: true })
  })

  test('nothing is acknowledged while no standby has it, whatever time a statement may take', async () => {
    await ask(ports[0], 'CREATE TABLE waiting (n integer)')
    await stopServer(running.get('two')!, 'SIGQUIT')
    let isAcknowledged = false
    const written = ask(
      ports[0],
      'INSERT INTO waiting VALUES (1)',
      '-c statement_timeout=500',
    ).then(() => {
      isAcknowledged = true
    })
    await sleep(3000)
    expect(isAcknowledged).toBe(false)
    expect((await ask(ports[0], 'SELECT n FROM waiting')).rows).toEqual([])
    await begin('two', ports[1])
    await written
    await eventually(async () => {
      expect((await ask(ports[1], 'SELECT n FROM waiting')).rows).toEqual([{ n: 1 }])
    })
  })

  const casemill = (...words: readonly string[]) =>
    runProgram(words, { CASEMILL_STATE_URL: `postgresql://${USER}@${HOST}:${address}/postgres` })

  test('a failover loses nothing that was acknowledged, and no standby is taken for the primary', async () => {
    await ask(address, 'CREATE TABLE kept (n integer)')
    const made = await casemill('token', 'create', '--user', 'ada')
    expect(made).toMatchObject({ status: 0 })

    const acknowledged: number[] = []
    const refusals = new Set<string>()
    const over = new AbortController()
    const writer = (async () => {
      for (let n = 0; !over.signal.aborted; n++) {
        await ask(address, `INSERT INTO kept VALUES (${n})`).then(
          () => acknowledged.push(n),
          (error: { code?: string }) => refusals.add(error.code ?? 'lost'),
        )
      }
    })()
    try {
      await eventually(() => expect(acknowledged.length).toBeGreaterThan(50))
      await stopServer(running.get('one')!, 'SIGQUIT')
      // The standby runs, refuses writes, and gets no connections.
      await eventually(() => expect(refusals.size).toBeGreaterThan(0))
      expect((await ask(ports[1], 'SELECT pg_is_in_recovery() AS is')).rows).toEqual([{ is: true }])
      const before = acknowledged.length
      await ask(ports[1], 'SELECT pg_promote()')
      await ask(ports[1], "ALTER SYSTEM SET synchronous_standby_names = ''")
      await ask(ports[1], 'SELECT pg_reload_conf()')
      await eventually(() => expect(acknowledged.length).toBeGreaterThan(before + 50))
    } finally {
      over.abort()
      await writer
    }
    expect(refusals).not.toContain(TAKES_NO_WRITES)
    const { rows } = await ask(address, 'SELECT n FROM kept')
    const kept = new Set(rows.map(({ n }: { n: number }) => n))
    expect(acknowledged.filter((n) => !kept.has(n))).toEqual([])

    const listed = await casemill('token', 'list')
    expect(listed.out).toContain('ada')
  })
})
