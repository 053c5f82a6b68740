import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { AccessMap } from '../../../engine/shared/access/claims/access-map.ts'
import { ClaimRightsReader } from '../../../engine/shared/access/claims/claim-rights.ts'
import { JwtVerifier } from '../../../engine/shared/access/jwt/jwt-verifier.ts'
import { SECOND, TestIssuer } from '../../../engine/shared/access/jwt/support/test-issuer.ts'
import { StateCache } from '../../../engine/shared/catalogue/state-cache.ts'
import { sharedState } from '../../../engine/shared-state.ts'
import { available } from '../../available.ts'
import { PostgresServer } from '../database/support/postgres.ts'

// Three nodes with one database, which accept the tokens of one issuer. The clock of a cache stands still unless a
// test sets it, so what is kept ends by notification and not by age.

describe.skipIf(!available.postgresql)('JWTs on three nodes', () => {
  const server = new PostgresServer()
  let issuer: TestIssuer
  let url = ''
  beforeAll(() => server.start())
  afterAll(() => server.stop())
  beforeEach(async () => {
    url = await server.url()
    issuer = new TestIssuer()
  })

  function node() {
    const world = { now: 1000 }
    const database = sharedState({ dataFolder: '', stateUrl: url })
    const cache = new StateCache({ url, now: () => world.now })
    const clock = () => new Date(SECOND * 1000)
    onTestFinished(async () => {
      await cache.close()
      await database.close()
    })
    const rules = {
      issuers: [issuer.url],
      audiences: ['casemill'],
      algorithms: ['ES256'],
      skewSeconds: 60,
      acceptsRegistry: false,
      fetchDocument: issuer.fetchDocument,
    }
    const rights = new ClaimRightsReader(database, cache)
    const report = () => {}
    const verifier = new JwtVerifier(rules, { database, rights, clock, report, cache })
    return { world, cache, verifier, map: new AccessMap(database, clock, cache) }
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

  const readers = () => ({ issuer: issuer.url, claim: 'groups', value: 'readers' })
  const ada = () => ({ issuer: issuer.url, kind: 'subject', name: 'ada' }) as const

  test('a subject that one revokes ends on all, with tokens and links, and can be restored', async () => {
    const nodes = [node(), node(), node()] as const
    const [one] = nodes
    await one.map.map(readers(), { projects: ['P-1'] })
    const token = await issuer.sign({ groups: ['readers'] })
    const id = (await one.verifier.lend(token)) ?? ''
    for (const each of nodes) {
      await untilCached(each, () => each.verifier.verify(token))
      await untilCached(each, () => each.verifier.bearer(id))
    }
    await one.map.revoke(ada())
    for (const { verifier } of nodes) {
      await expect.poll(() => verifier.verify(token)).toBeUndefined()
      await expect.poll(() => verifier.bearer(id)).toBeUndefined()
    }
    await one.map.restore(ada())
    for (const { verifier } of nodes) await expect.poll(() => verifier.verify(token)).toBeDefined()
  })

  test('rights that one changes hold on all', async () => {
    const nodes = [node(), node(), node()] as const
    const [one] = nodes
    await one.map.map(readers(), { projects: ['P-1'] })
    const token = await issuer.sign({ groups: ['readers'] })
    for (const each of nodes) await untilCached(each, () => each.verifier.verify(token))
    await one.map.map(readers(), { projects: ['P-2'] })
    await one.map.unmap(readers(), { projects: ['P-1'] })
    for (const { verifier } of nodes) {
      const projects = async () => [...((await verifier.verify(token))?.projects.keys() ?? [])]
      await expect.poll(projects).toEqual(['P-2'])
    }
  })

  test('without a notification a subject ends within 5 seconds', async () => {
    const nodes = [node(), node(), node()] as const
    await nodes[0].map.map(readers(), { projects: ['P-1'] })
    const token = await issuer.sign({ groups: ['readers'] })
    for (const each of nodes) await untilCached(each, () => each.verifier.verify(token))
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query("INSERT INTO access_revocations VALUES ($1, 'subject', 'ada', '2026')", [
      issuer.url,
    ])
    await client.end()
    for (const { world, verifier } of nodes) {
      expect(await verifier.verify(token)).toBeDefined()
      world.now += 5000
      expect(await verifier.verify(token)).toBeUndefined()
    }
  })
})
