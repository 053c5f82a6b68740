import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { AccessMap } from '../../../engine/shared/access/claims/access-map.ts'
import { ClaimRightsReader } from '../../../engine/shared/access/claims/claim-rights.ts'
import { PersonalTokenStore } from '../../../engine/shared/access/personal-tokens.ts'
import { SessionStore } from '../../../engine/shared/access/sessions.ts'
import { StateCache } from '../../../engine/shared/catalogue/state-cache.ts'
import { sharedState } from '../../../engine/shared-state.ts'
import { available } from '../../available.ts'
import { PostgresServer } from '../database/support/postgres.ts'

// Three nodes with one database, at which people are logged in. The clock of a cache stands still unless a test sets
// it, so what is kept ends by notification and not by age.

const ISSUER = 'https://id.example.org'
const ADA = { issuer: ISSUER, subject: 'ada', claims: { groups: ['readers'] } }
const READERS = { issuer: ISSUER, claim: 'groups', value: 'readers' }
const IDLE_SECONDS = 3600

describe.skipIf(!available.postgresql)('sessions on three nodes', () => {
  const server = new PostgresServer()
  let url = ''
  beforeAll(() => server.start())
  afterAll(() => server.stop())
  beforeEach(async () => {
    url = await server.url()
  })

  function node() {
    const world = { now: 1000, clock: Date.parse('2026-03-01T12:00:00Z') }
    const database = sharedState({ dataFolder: '', stateUrl: url })
    const cache = new StateCache({ url, now: () => world.now })
    onTestFinished(async () => {
      await cache.close()
      await database.close()
    })
    const clock = () => new Date(world.clock)
    const rights = new ClaimRightsReader(database, cache)
    const times = { idleSeconds: IDLE_SECONDS, absoluteSeconds: 43_200 }
    const context = { database, clock, cache, rights }
    return {
      world,
      cache,
      map: new AccessMap(database, clock, cache),
      sessions: new SessionStore({ ...context, times }),
      tokens: new PersonalTokenStore(context),
    }
  }
  type Node = ReturnType<typeof node>

  /** Repeats a request until what it reads of the state is kept by the node. */
  async function untilCached({ cache }: Node, ask: () => Promise<unknown>): Promise<void> {
    await expect
      .poll(async () => {
        const { stateCacheHits, stateCacheMisses } = cache.load()
        expect(await ask()).toBeDefined()
        const { stateCacheHits: hits, stateCacheMisses: misses } = cache.load()
        return hits > stateCacheHits && misses === stateCacheMisses
      })
      .toBe(true)
  }

  /** Logs ada in at the first node, and lets all keep her session and a token of hers. */
  async function loggedIn(nodes: readonly [Node, Node, Node]) {
    const [one] = nodes
    const { id, secret, user } = await one.sessions.start(ADA)
    const token = await one.tokens.create(user, { name: 'mine', readOnly: true })
    for (const each of nodes) {
      await untilCached(each, () => each.sessions.verify(secret))
      await untilCached(each, () => each.tokens.verify(token.secret))
      await untilCached(each, () => each.sessions.bearer(id))
    }
    return { id, secret, user, token }
  }

  test('a log-out at one ends the session and its links on all, and a revoked token as well', async () => {
    const nodes = [node(), node(), node()] as const
    const { id, secret, user, token } = await loggedIn(nodes)
    await nodes[1].sessions.end(secret)
    for (const { sessions, tokens } of nodes) {
      await expect.poll(() => sessions.verify(secret)).toBeUndefined()
      await expect.poll(() => sessions.bearer(id)).toBeUndefined()
      expect(await tokens.verify(token.secret)).toBeDefined()
    }
    await nodes[2].tokens.revoke(user, token.id)
    for (const { tokens } of nodes) {
      await expect.poll(() => tokens.verify(token.secret)).toBeUndefined()
    }
  })

  test('a person whom one revokes is out on all, and rights that one changes hold on all', async () => {
    const nodes = [node(), node(), node()] as const
    const { secret, token } = await loggedIn(nodes)
    await nodes[0].map.map(READERS, { projects: ['P-1'] })
    for (const { sessions, tokens } of nodes) {
      for (const ask of [() => sessions.verify(secret), () => tokens.verify(token.secret)]) {
        await expect.poll(async () => [...((await ask())?.projects.keys() ?? [])]).toEqual(['P-1'])
      }
    }
    await nodes[2].map.revoke({ issuer: ISSUER, kind: 'subject', name: 'ada' })
    for (const { sessions, tokens } of nodes) {
      await expect.poll(() => sessions.verify(secret)).toBeUndefined()
      await expect.poll(() => tokens.verify(token.secret)).toBeUndefined()
    }
  })

  test('without a notification a session ends within 5 seconds', async () => {
    const nodes = [node(), node(), node()] as const
    const { secret, token } = await loggedIn(nodes)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('DELETE FROM sessions')
    await client.query('DELETE FROM personal_tokens')
    await client.end()
    for (const { world, sessions, tokens } of nodes) {
      expect(await sessions.verify(secret)).toBeDefined()
      expect(await tokens.verify(token.secret)).toBeDefined()
      world.now += 5000
      expect(await sessions.verify(secret)).toBeUndefined()
      expect(await tokens.verify(token.secret)).toBeUndefined()
    }
  })

  test('a session that one node uses goes on at the others beyond its idle life', async () => {
    const nodes = [node(), node(), node()] as const
    const { secret } = await loggedIn(nodes)
    const later = (seconds: number) => {
      for (const { world } of nodes) {
        world.clock += seconds * 1000
        world.now += 5000
      }
    }
    const [one, other, third] = nodes
    later(IDLE_SECONDS - 60)
    expect(await one.sessions.verify(secret)).toBeDefined()
    later(120)
    // The use is recorded in the background.
    await expect
      .poll(() => {
        other.world.now += 5000
        return other.sessions.verify(secret)
      })
      .toBeDefined()
    later(IDLE_SECONDS)
    expect(await third.sessions.verify(secret)).toBeUndefined()
  })
})
