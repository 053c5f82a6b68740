import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Engine } from '../../engine/index.ts'
import type { App } from '../../server/http/compose.ts'
import { available } from '../available.ts'
import {
  idOf,
  recordOf,
  SURROUNDINGS,
  someBytes,
} from '../commons/contract/support/download-records.ts'
import { type DownloadWorld, openWorld } from '../commons/contract/support/download-world.ts'
import { appOf } from '../commons/search/support/app.ts'
import { PostgresServer } from '../shared/database/support/postgres.ts'

// A PostgreSQL server that hangs with all its connections open, or is stopped.

/** Times in milliseconds: short enough to wait for, long enough for a busy machine. */
const TIMES = { doubt: 500, answer: 2000 }
const PATIENCE = { timeout: 60_000, interval: 100 }

const open = { id: idOf(1), name: 'open.txt', bytes: someBytes(100, 1) }
const closed = { id: idOf(2), name: 'closed.txt', bytes: someBytes(100, 2) }

describe.skipIf(!available.postgresql)('what is asked of a database', () => {
  const server = new PostgresServer()
  let world: DownloadWorld
  let engine: Engine
  let app: App
  let token = ''
  let key = ''

  beforeAll(async () => {
    await server.start()
    const controlled = recordOf(closed, { access: 'controlled', acl: ['ALPHA-1'] })
    const records = { ...SURROUNDINGS, files: [recordOf(open), controlled] }
    world = await openWorld(records, {
      stateUrl: await server.url(),
      stateTimes: TIMES,
      dependencyTimes: { keep: 0, answer: 1000 },
    })
    engine = world.engine
    for (const file of [open, closed]) await world.store(file)
    token = (await engine.shared.tokens.create({ user: 'reader', admin: true })).secret
    key = (await engine.shared.keys.create({ roles: [] })).secret
    app = appOf(engine)
  })
  afterEach(() => server.thaw())
  afterAll(async () => {
    server.thaw()
    await world?.close()
    await server.stop()
  })

  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { 'X-Auth-Token': token, 'X-SEERAPI-Key': key, ...init.headers }
    const answer = await app.request(path, { ...init, headers })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const graphql = () =>
    ask('/submission/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: '{ _case_count }' }),
    })
  const program = (name: string) =>
    ask('/submission', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'program', name, dbgap_accession_number: name }),
    })

  /** Requests that need the database, for reading and writing. */
  const needing = (round: number) => [
    ask(`/data/${closed.id}`),
    ask(`/data/${open.id}`),
    ask(`/data/${open.id},${closed.id}?tarfile`),
    ask(`/slicing/view/${open.id}?region=chr1`),
    ask('/submission'),
    ask('/notifications'),
    ask('/rest/staging/algorithms'),
    graphql(),
    program(`P${round}`),
  ]
  /** Requests that need the release only, or nothing. */
  const needless = () =>
    Promise.all(
      ['/status', '/health/live', '/health/ready', '/files?size=5', `/files/${open.id}`].map(
        (path) => ask(path),
      ),
    )

  const allRefuse = async (rounds: number) => {
    const rows = Array.from({ length: rounds }, (_, round) => needing(round)).flat()
    for (const { status } of await needless()) expect(status).toBe(200)
    for (const { status, headers, text } of await Promise.all(rows)) {
      expect({ status, text }).toMatchObject({ status: 503 })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    for (const { status } of await needless()) expect(status).toBe(200)
  }
  const told = async () => {
    const answer = await ask('/health/dependencies')
    expect(answer.status).toBe(200)
    const metrics = (await ask('/metrics')).text
    return {
      isAway: metrics.includes('casemill_dependency_away{dependency="database"} 1'),
      ...(JSON.parse(answer.text) as object),
    }
  }
  const allGoOn = () =>
    vi.waitFor(async () => {
      expect((await ask(`/data/${closed.id}`)).status).toBe(200)
      expect((await graphql()).status).toBe(200)
      expect((await program('AFTER')).status).toBe(200)
      expect(await told()).toMatchObject({ status: 'ok', isAway: false })
    }, PATIENCE)

  test('is refused for a while when the database stands still, and nothing else is', async () => {
    await allGoOn()
    server.freeze()
    // These are more requests than connections.
    await allRefuse(5)
    expect(await told()).toMatchObject({
      status: 'impaired',
      isAway: true,
      dependencies: { database: { kind: 'postgresql', state: 'away' } },
    })
    await allRefuse(1)
    server.thaw()
    await allGoOn()
  })

  test('is refused for a while when the database is gone, and nothing else is', async () => {
    await allGoOn()
    await server.crash()
    // Until the service notices, a moment later, that the connections are closed, it may answer from a cache.
    await vi.waitFor(async () => expect((await ask('/submission')).status).toBe(503), PATIENCE)
    await allRefuse(2)
    expect(await told()).toMatchObject({ status: 'impaired', isAway: true })
    await server.start()
    await allGoOn()
  })

  test('may take longer than a server is trusted without an answer', async () => {
    await allGoOn()
    const seconds = (3 * TIMES.doubt) / 1000
    const slow = () =>
      engine.submission.database.read((rows) => rows.get('SELECT 1 AS one, pg_sleep(?)', [seconds]))
    expect(await slow()).toMatchObject({ one: 1 })
  })

  test('says nothing of where the database is', async () => {
    server.freeze()
    const { text } = await ask('/health/dependencies')
    const answers = [text, (await ask('/metrics')).text, (await ask('/notifications')).text]
    for (const answer of answers) expect(answer).not.toMatch(/opensesame|bench@|casemill-pg-/)
  })
})
