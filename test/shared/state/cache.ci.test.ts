import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ClaimRightsReader } from '../../../engine/shared/access/claims/claim-rights.ts'
import { KeyStore } from '../../../engine/shared/access/keys.ts'
import { PersonalTokenStore } from '../../../engine/shared/access/personal-tokens.ts'
import { SessionStore } from '../../../engine/shared/access/sessions.ts'
import { TokenStore } from '../../../engine/shared/access/tokens.ts'
import { FileCatalogue, type StoredFile } from '../../../engine/shared/catalogue/files.ts'
import { StateCache } from '../../../engine/shared/catalogue/state-cache.ts'
import { sharedState } from '../../../engine/shared-state.ts'
import { available } from '../../available.ts'
import { PostgresServer } from '../database/support/postgres.ts'

// Two nodes with one database. The clock of a cache stands still unless a test sets it, so entries disappear
// only by notification and not by age.

const FILE: StoredFile = {
  id: '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b1d01',
  fileName: 'a.bam',
  size: 1,
  md5: 'a'.repeat(32),
  dataFormat: 'BAM',
  access: 'open',
  acl: [],
  partOf: null,
  indexName: null,
  storage: 's3',
  linkedModified: null,
  createdAt: '2026-03-01T12:00:00.000Z',
}
const CLOSED: StoredFile = {
  ...FILE,
  id: '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b1d02',
  access: 'controlled',
  acl: ['P-1'],
}

describe.skipIf(!available.postgresql)('what a node keeps of the database', () => {
  const server = new PostgresServer()
  let url = ''
  beforeAll(() => server.start())
  afterAll(() => server.stop())
  beforeEach(async () => {
    url = await server.url()
  })

  function node() {
    const world = { now: 1000 }
    const stateTimes = { doubt: 500, answer: 500 }
    const database = sharedState({ dataFolder: '', stateUrl: url, stateTimes })
    const cache = new StateCache({ url, now: () => world.now })
    const clock = () => new Date('2026-03-01T12:00:00.000Z')
    onTestFinished(async () => {
      await cache.close()
      await database.close()
    })
    const tokens = new TokenStore(database, clock, cache)
    const keys = new KeyStore(database, clock, cache)
    const rights = new ClaimRightsReader(database, cache)
    const times = { idleSeconds: 3600, absoluteSeconds: 3600 }
    const sessions = new SessionStore({ database, clock, cache, rights, times })
    const personal = new PersonalTokenStore({ database, clock, cache, rights })
    const files = new FileCatalogue(database, cache)
    return { world, database, cache, tokens, keys, files, sessions, personal }
  }
  type Node = ReturnType<typeof node>

  /** Repeats a request until its answer comes from the cache. */
  async function untilCached({ cache }: Node, ask: () => Promise<unknown>): Promise<void> {
    await expect
      .poll(async () => {
        const { stateCacheHits } = cache.load()
        expect(await ask()).toBeDefined()
        return cache.load().stateCacheHits - stateCacheHits
      })
      .toBe(1)
  }

  async function rawly(sql: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return client.query(sql).finally(() => client.end())
  }

  /** Breaks the listening connections to this database. */
  async function cutListeners(): Promise<void> {
    const cut = await rawly(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE query LIKE 'NOTIFY casemill%' AND pid <> pg_backend_pid()`)
    expect(cut.rowCount).toBeGreaterThan(0)
  }

  test('a session that ends on another node, or a token that its owner revokes there, ends at once', async () => {
    const [one, other] = [node(), node()]
    const ada = { issuer: 'https://id.example.org', subject: 'ada', claims: {} }
    const { secret, user } = await other.sessions.start(ada)
    const token = await other.personal.create(user, { name: 'a', readOnly: true })
    // The standing of the person is cached as well.
    const twice = async (ask: () => Promise<unknown>) => {
      await expect
        .poll(async () => {
          const { stateCacheHits } = one.cache.load()
          expect(await ask()).toBeDefined()
          return one.cache.load().stateCacheHits - stateCacheHits
        })
        .toBe(2)
    }
    await twice(() => one.sessions.verify(secret))
    await twice(() => one.personal.verify(token.secret))
    await other.sessions.end(secret)
    await other.personal.revoke(user, token.id)
    await expect.poll(() => one.sessions.verify(secret)).toBeUndefined()
    await expect.poll(() => one.personal.verify(token.secret)).toBeUndefined()
  })

  test('a token or a key that another node revokes ends at once', async () => {
    const [one, other] = [node(), node()]
    const token = await other.tokens.create({ user: 'ada' })
    const key = await other.keys.create()
    await untilCached(one, () => one.tokens.verify(token.secret))
    await untilCached(one, () => one.keys.verify(key.secret))
    await other.tokens.revoke(token.id)
    await other.keys.revoke(key.id)
    await expect.poll(() => one.tokens.verify(token.secret)).toBeUndefined()
    await expect.poll(() => one.keys.verify(key.secret)).toBeUndefined()
  })

  test('a node that revokes a token has not got it the moment after', async () => {
    const one = node()
    const { id, secret } = await one.tokens.create({ user: 'ada' })
    await untilCached(one, () => one.tokens.verify(secret))
    await one.tokens.revoke(id)
    expect(await one.tokens.verify(secret)).toBeUndefined()
  })

  test('a cached token lets nobody pass who has another secret', async () => {
    const one = node()
    const { secret } = await one.tokens.create({ user: 'ada' })
    await untilCached(one, () => one.tokens.verify(secret))
    const wrong = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`
    expect(await one.tokens.verify(wrong)).toBeUndefined()
    expect(await one.tokens.verify(secret)).toBeDefined()
  })

  test('rights that another node changes hold at once', async () => {
    const [one, other] = [node(), node()]
    const { secret } = await other.tokens.create({ user: 'ada', projects: ['P-1:read'] })
    await untilCached(one, () => one.tokens.verify(secret))
    await other.tokens.create({ user: 'ada', projects: ['P-2:read'] })
    const projects = async () => [...((await one.tokens.verify(secret))?.projects.keys() ?? [])]
    await expect.poll(projects).toEqual(['P-2'])
  })

  test('a file that another node makes controlled, moves or removes is so at once', async () => {
    const [one, other] = [node(), node()]
    await other.files.addAll([FILE, CLOSED])
    const access = async () => (await one.files.served.find(FILE.id))?.access
    await untilCached(one, access)
    await untilCached(one, () => one.files.served.ownerOf(CLOSED.id))
    await other.files.add({ ...FILE, access: 'controlled', acl: ['P-1'] })
    await expect.poll(access).toBe('controlled')
    await untilCached(one, access)
    await other.files.remove(FILE.id)
    await expect.poll(access).toBeUndefined()
    await other.files.owners.giveUp({ id: CLOSED.id, owner: 'import' })
    await expect.poll(() => one.files.served.ownerOf(CLOSED.id)).toBeUndefined()
  })

  test('more files than are named in a notification are dropped, too', async () => {
    const [one, other] = [node(), node()]
    await other.files.add(FILE)
    const access = async () => (await one.files.served.find(FILE.id))?.access
    await untilCached(one, access)
    const many = Array.from({ length: 300 }, (_, i) => ({
      ...CLOSED,
      id: `${CLOSED.id.slice(0, -3)}${String(100 + i)}`,
    }))
    await other.files.addAll([...many, { ...FILE, access: 'controlled' }])
    await expect.poll(access).toBe('controlled')
  })

  test('without a notification a token ends within 5 seconds', async () => {
    const one = node()
    const { secret } = await one.tokens.create({ user: 'ada' })
    await untilCached(one, () => one.tokens.verify(secret))
    // An older version, or a person, writes like this.
    await rawly("UPDATE tokens SET revoked_at = '2026-03-01'")
    expect(await one.tokens.verify(secret)).toBeDefined()
    one.world.now += 5000
    expect(await one.tokens.verify(secret)).toBeUndefined()
  })

  test('a node whose connection is cut keeps nothing until it listens again', async () => {
    const one = node()
    await one.files.add(FILE)
    const { secret } = await one.tokens.create({ user: 'ada' })
    const access = async () => (await one.files.served.find(FILE.id))?.access
    await untilCached(one, () => one.tokens.verify(secret))
    await untilCached(one, access)
    await rawly(`UPDATE files SET access = 'controlled'`)
    await rawly("UPDATE tokens SET revoked_at = '2026-03-01'")
    expect([await access(), (await one.tokens.verify(secret)) !== undefined]).toEqual([
      'open',
      true,
    ])
    await cutListeners()
    await expect.poll(access).toBe('controlled')
    await expect.poll(() => one.tokens.verify(secret)).toBeUndefined()
    await untilCached(one, access)
  })

  test('where no notification has arrived for 5 seconds nothing that is kept is used', async () => {
    const one = node()
    await one.files.add(FILE)
    const access = async () => (await one.files.served.find(FILE.id))?.access
    await untilCached(one, access)
    // The connection stays open without receiving anything.
    server.freeze()
    onTestFinished(() => server.thaw())
    const { stateCacheHits } = one.cache.load()
    one.world.now += 5001
    const asking = access()
    expect(one.cache.load().stateCacheHits).toBe(stateCacheHits)
    server.thaw()
    expect(await asking).toBe('open')
  })

  test('while the database is away open files are given for a minute, and nothing else', async () => {
    const one = node()
    await one.files.addAll([FILE, CLOSED])
    const { secret } = await one.tokens.create({ user: 'ada' })
    const find = ({ id }: StoredFile) => one.files.served.find(id)
    await untilCached(one, () => one.tokens.verify(secret))
    await untilCached(one, () => find(FILE))
    await untilCached(one, () => find(CLOSED))
    await server.crash()
    onTestFinished(() => server.start())
    one.world.now += 5001
    const away = { code: 'unavailable' }
    expect(await find(FILE)).toEqual(FILE)
    await expect(find(CLOSED)).rejects.toMatchObject(away)
    await expect(one.tokens.verify(secret)).rejects.toMatchObject(away)
    one.world.now += 60_000
    await expect(find(FILE)).rejects.toMatchObject(away)
  })
})
