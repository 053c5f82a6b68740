import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endOf, startProgram } from '../../bin/support/program.ts'
import { DEMO_TRIAL, storeTrial } from '../../fixtures/submission/trial.ts'
import {
  idOf,
  recordOf,
  SURROUNDINGS,
  someBytes,
} from '../commons/contract/support/download-records.ts'
import { type DownloadWorld, openWorld } from '../commons/contract/support/download-world.ts'
import { eventually } from '../eventually.ts'
import {
  type Connection,
  type ProcessService,
  serveByProcesses,
} from './support/process-service.ts'

// A service of two processes, tested through each.

const MiB = 1 << 20
/** The file is larger than the system's buffers without a reader. */
const OPEN = { id: idOf(1), name: 'open.txt', bytes: Buffer.alloc(16 * MiB, someBytes(MiB, 1)) }
const CLOSED = { id: idOf(2), name: 'closed.txt', bytes: someBytes(100, 2) }
const RECORDS = {
  ...SURROUNDINGS,
  files: [recordOf(OPEN), recordOf(CLOSED, { access: 'controlled', acl: ['ALPHA-1'] })],
}

let world: DownloadWorld
let service: ProcessService
let both: readonly Connection[]
let token = ''
let key = ''

describe.runIf(existsSync('/proc/self/task'))('a service of two processes', () => {
  beforeAll(async () => {
    // A separate engine writes to the same folder, as commands do.
    world = await openWorld(RECORDS)
    for (const file of [OPEN, CLOSED]) await world.store(file)
    await storeTrial(world.engine, 'ada')
    const projects = ['ALPHA-1', `${DEMO_TRIAL.id}:${DEMO_TRIAL.roles.join(',')}`]
    token = (await world.engine.shared.tokens.create({ user: 'bea', projects })).secret
    key = (await world.engine.shared.keys.create({ user: 'bea' })).secret
    service = await serveByProcesses(world.folder, 2)
    both = await service.connectAll(2)
  })
  afterAll(async () => {
    for (const connection of both) connection.close()
    await service.stop()
    await world.close()
  })

  test.each([
    '/status',
    '/openapi.json',
    '/files?expand=cases&pretty=true',
    '/cases?facets=project.project_id&size=2',
    `/files/${OPEN.id}?fields=file_name`,
    '/projects',
    '/annotations',
    '/cases/_mapping',
    `/data/${OPEN.id}`,
    `/data/${OPEN.id},${OPEN.id}?tarfile`,
    `/manifest/${OPEN.id}`,
    '/submission',
    '/submission/DEMO/TRIAL/_dictionary',
    '/rest/staging/algorithms',
    '/notifications',
    '/no/such/path',
  ])('each answers %s alike', async (path) => {
    const headers = { 'X-Auth-Token': token, 'X-SEERAPI-Key': key, 'X-Request-Id': 'same' }
    const [one, other] = await Promise.all(both.map(({ ask }) => ask(path, { headers })))
    expect(other?.status).toBe(one?.status)
    expect(other?.body.equals(one?.body ?? Buffer.alloc(0))).toBe(true)
  })

  test('a token that is revoked ends at once in each', async () => {
    const { tokens } = world.engine.shared
    const { secret, id } = await tokens.create({ user: 'cleo', projects: ['ALPHA-1'] })
    const headers = { 'X-Auth-Token': secret }
    const statuses = async () => {
      const answers = await Promise.all(
        both.map(({ ask }) => ask(`/data/${CLOSED.id}`, { headers })),
      )
      return answers.map(({ status }) => status)
    }
    expect(await statuses()).toEqual([200, 200])
    await tokens.revoke(id)
    expect(await statuses()).toEqual([403, 403])
  })

  test('what is submitted to one is there in the other', async () => {
    const path = `/submission/${DEMO_TRIAL.program}/${DEMO_TRIAL.code}`
    const headers = { 'X-Auth-Token': token, 'Content-Type': 'application/json' }
    const names = Array.from({ length: 12 }, (_, i) => `portion-${i}`)
    // The requests are for the same project and simultaneous.
    const answers = await Promise.all(
      names.map((submitter_id, i) => {
        const body = { type: 'portion', submitter_id, samples: { submitter_id: 'trial-1-blood' } }
        return both[i % 2]!.ask(path, { method: 'PUT', headers, body: JSON.stringify(body) })
      }),
    )
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    for (const { ask } of both) {
      const { body } = await ask(`${path}/export?node_label=portion&format=json`, { headers })
      const found = JSON.parse(body.toString()) as {
        readonly data: readonly { readonly submitter_id: string }[]
      }
      expect(found.data.map(({ submitter_id }) => submitter_id).sort()).toEqual(names.toSorted())
    }
  })

  test('a release switch reaches each', async () => {
    await world.serve({ ...RECORDS, files: [recordOf(OPEN)] }, 'second')
    for (const { ask } of both) {
      await eventually(async () => {
        const { body } = await ask('/files?size=0')
        expect(JSON.parse(body.toString()).data.pagination.total).toBe(1)
      })
    }
  })

  test('each tells the numbers of both', async () => {
    const before = await sumOf(both[0]!)
    for (const { ask } of both) for (let i = 0; i < 3; i++) await ask('/terms')
    for (const connection of both) {
      await eventually(async () => expect((await sumOf(connection)) - before).toBe(6))
      const text = (await connection.ask('/metrics')).body.toString()
      expect(text).toMatch(/^casemill_processes 2$/m)
    }
  })

  test('one that is killed takes no answer of the other with it, and another takes its place', async () => {
    // The processes were started one after the other.
    const [pid] = service.pids()
    const [gone, stays] = both.toSorted((one, other) => one.process - other.process)
    let isOver = false
    const load = async ({ ask }: Connection) => {
      let answers = 0
      while (!isOver) {
        const { status, body } = await ask(`/data/${OPEN.id}`)
        expect([status, body.equals(OPEN.bytes)]).toEqual([200, true])
        answers++
      }
      return answers
    }
    const staying = load(stays!)
    const going = load(gone!).catch(() => 'broken off')
    process.kill(pid!, 'SIGKILL')
    expect(await going).toBe('broken off')
    const next = await eventually(async () => {
      const connection = await service.connect()
      connection.close()
      expect([gone!.process, stays!.process]).not.toContain(connection.process)
      return connection.process
    })
    isOver = true
    expect(await staying).toBeGreaterThan(0)
    expect(next).toBe(3)
    await eventually(() => expect(service.pids()).toHaveLength(2))
  })

  test('a second service of the folder is refused', async () => {
    const second = serveByProcesses(world.folder, 2)
    await expect(second).rejects.toThrow('is served by another casemill')
  })

  test('a signal to the first ends all, and what has begun is finished', async () => {
    const pids = service.pids()
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${service.address}/data/${OPEN.id}`, resolve).on('error', reject)
    })
    const ended = service.stop()
    await eventually(() => {
      expect(service.log.filter((line) => line.includes('"stopping"'))).toHaveLength(2)
    })
    expect((await buffer(response)).equals(OPEN.bytes)).toBe(true)
    expect(await ended).toBe(0)
    expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
  })
})

test('a service whose first process cannot start ends', async () => {
  const blocked = createServer().listen(0, '127.0.0.1')
  await once(blocked, 'listening')
  const { port } = blocked.address() as AddressInfo
  const folder = await mkdtemp(join(tmpdir(), 'casemill-processes-'))
  try {
    const words = ['--data', folder, 'serve', '--processes', '2', '--port', String(port)]
    const { status, err } = await endOf(startProgram(words))
    expect(err.match(/is in use/g)).toHaveLength(1)
    expect(status).toBe(1)
  } finally {
    blocked.close()
    await rm(folder, { recursive: true })
  }
})

test('processes share the rate of a client', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-processes-'))
  const limits = { CASEMILL_RATE_PER_MINUTE: '2', CASEMILL_RATE_BURST: '40' }
  const limited = await serveByProcesses(folder, 2, limits)
  try {
    const connections = await limited.connectAll(2)
    const answers = await Promise.all(
      connections.flatMap(({ ask }) => Array.from({ length: 60 }, () => ask('/status'))),
    )
    const passed = answers.filter(({ status }) => status === 200).length
    // The limit includes requests for connecting; a minute may allow two more.
    expect(passed).toBeLessThanOrEqual(42)
    expect(passed).toBeGreaterThan(0)
    for (const connection of connections) connection.close()
  } finally {
    await limited.stop()
    await rm(folder, { recursive: true })
  }
})

/** The number of answers of one route that the service has counted. */
async function sumOf({ ask }: Connection): Promise<number> {
  const text = (await ask('/metrics')).body.toString()
  const lines = text.matchAll(/^casemill_http_requests_total\{[^}]*route="\/terms"[^}]*\} (\d+)$/gm)
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
}
