import { generateKeyPairSync } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fetchDocument } from '../../bin/remote/issuer-documents.ts'
import { createApp } from '../../server/app.ts'
import { jwtRulesOf, readConfig } from '../../server/config.ts'
import { createMetrics } from '../../server/http/metrics.ts'
import { fakeStatus, keptLog } from '../commons/contract/fake-engine.ts'
import {
  idOf,
  type RetainedFile,
  recordOf,
  SURROUNDINGS,
  someBytes,
} from '../commons/contract/support/download-records.ts'
import { type DownloadWorld, openWorld } from '../commons/contract/support/download-world.ts'
import { accessTokenOf } from './support/access-token.ts'
import { RESOURCE, startProvider, type TestProvider } from './support/provider.ts'

// JWT access tokens of a provider that runs in this process (npm's oidc-provider), sent to the whole service.

const file = (n: number, name: string): RetainedFile => ({
  id: idOf(n),
  name,
  bytes: someBytes(4000, n),
})
const [CLOSED, OTHER, OPEN] = [file(1, 'closed.bam'), file(2, 'other.txt'), file(3, 'open.txt')]
const RECORDS = {
  ...SURROUNDINGS,
  files: [
    recordOf(CLOSED, { access: 'controlled', acl: ['ALPHA-1'] }),
    recordOf(OTHER, { access: 'controlled', acl: ['BETA-1'] }),
    recordOf(OPEN),
  ],
}

let provider: TestProvider
let world: DownloadWorld
let app: ReturnType<typeof createApp>
let lines: readonly string[]
/** Of an account in the group of readers. */
let jwt = ''

beforeAll(async () => {
  const accounts = { ada: { groups: ['readers'] }, bob: { groups: [] } }
  provider = await startProvider({ accounts, claims: ['groups'] })
  jwt = await accessTokenOf(provider, 'ada')
  await open()
})
afterAll(async () => {
  await world.close()
  await provider.close()
})

/** Starts a service in place of the former one. A service asks an issuer once a minute at most. */
async function reopen(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  await world.close()
  await open(settings)
}

async function open(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  const environment = {
    CASEMILL_OIDC_ISSUERS: provider.issuer,
    CASEMILL_OIDC_AUDIENCE: RESOURCE,
    CASEMILL_LOG_LEVEL: 'trace',
    ...settings,
  }
  const config = readConfig({ environment })
  world = await openWorld(RECORDS, { jwt: jwtRulesOf(config, fetchDocument) })
  for (const one of [CLOSED, OTHER, OPEN]) await world.store(one)
  const kept = keptLog(config)
  lines = kept.lines
  const { engine } = world
  app = createApp({
    engine,
    config,
    log: kept.log,
    metrics: createMetrics(engine),
    status: fakeStatus,
  })
  await engine.shared.accessMap.map(readers(), { projects: ['ALPHA-1'] })
}

const readers = () => ({ issuer: provider.issuer, claim: 'groups', value: 'readers' })
const ada = () => ({ issuer: provider.issuer, kind: 'subject', name: 'ada' }) as const
const ask = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers })
const statusOf = async (path: string, headers: Record<string, string> = {}) => {
  const response = await ask(path, headers)
  await response.arrayBuffer()
  return response.status
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const custom = (token: string) => ({ 'x-auth-token': token })
const keyFetches = () => provider.requests.filter((path) => path === '/jwks').length

test('the token of the provider is what the tests are about', () => {
  expect(decodeProtectedHeader(jwt)).toMatchObject({ alg: 'RS256', typ: 'at+jwt' })
  expect(decodeJwt(jwt)).toMatchObject({
    iss: provider.issuer,
    aud: RESOURCE,
    sub: 'ada',
    groups: ['readers'],
  })
})

describe('doors', () => {
  test('a token opens what the map gives, by both headers, and nothing else', async () => {
    for (const headers of [bearer(jwt), custom(jwt)]) {
      expect(await statusOf(`/data/${CLOSED.id}`, headers)).toBe(200)
      expect(await statusOf(`/data/${OTHER.id}`, headers)).toBe(403)
      expect(await statusOf(`/data/${OPEN.id}`, headers)).toBe(200)
    }
    const others = await accessTokenOf(provider, 'bob')
    expect(await statusOf(`/data/${CLOSED.id}`, bearer(others))).toBe(403)
    expect(await statusOf(`/data/${CLOSED.id}`)).toBe(403)
    expect(lines.join('\n')).not.toContain(jwt.split('.')[2])
  })

  test('without issuers in the settings it is no token', async () => {
    await reopen({ CASEMILL_OIDC_ISSUERS: '' })
    expect(await statusOf(`/data/${CLOSED.id}`, bearer(jwt))).toBe(403)
    expect(await statusOf(`/data/${OPEN.id}`, bearer(jwt))).toBe(200)
    await reopen()
  })

  test('submission knows the user', async () => {
    const as = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ query: '{ project { project_id } }' })
      const json = { 'content-type': 'application/json' }
      const path = '/submission/graphql'
      const asked = { method: 'POST', headers: { ...headers, ...json }, body }
      return (await app.request(path, asked)).status
    }
    expect(await as(bearer(jwt))).toBe(200)
    expect(await as({})).toBe(403)
    const user = await (await ask('/auth/user', bearer(jwt))).json()
    expect(user).toMatchObject({
      username: `${provider.issuer}#ada`,
      projects: { gdc_ids: { 'ALPHA-1': expect.arrayContaining(['read', 'download']) } },
    })
  })

  test('a cookie cannot hold it', async () => {
    expect(await statusOf(`/data/${CLOSED.id}`, { cookie: `sessionid=${jwt}` })).toBe(403)
    const response = await app.request('/auth', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: jwt, next: '/' }),
    })
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(response.headers.get('location')).toMatch(/error=401/)
  })

  test('the registry accepts it by the setting only, with a right of its own', async () => {
    const key = { 'x-seerapi-key': jwt }
    expect(await statusOf('/rest/staging/algorithms', key)).toBe(401)
    await world.engine.shared.accessMap.map(readers(), { registry: [] })
    expect(await statusOf('/rest/staging/algorithms', key)).toBe(401)
    await reopen({ CASEMILL_OIDC_REGISTRY: 'true' })
    expect(await statusOf('/rest/staging/algorithms', key)).toBe(401)
    await world.engine.shared.accessMap.map(readers(), { registry: [] })
    expect(await statusOf('/rest/staging/algorithms', key)).toBe(200)
    const forged = { 'x-seerapi-key': `${jwt.slice(0, -3)}AAA` }
    expect(await statusOf('/rest/staging/algorithms', forged)).toBe(401)
    await reopen()
  })
})

describe('links', () => {
  const linkOf = async (headers: Record<string, string>) => {
    const path = `/ga4gh/drs/v1/objects/${CLOSED.id}/access/https`
    const response = await ask(path, headers)
    const { headers: given = [] } = (await response.json()) as { headers?: readonly string[] }
    return { status: response.status, ticket: given.join().replace(/^x-ticket: */i, '') }
  }

  test('a link opens its file for the bearer of the token, until the subject is revoked', async () => {
    const { status, ticket } = await linkOf(bearer(jwt))
    expect(status).toBe(200)
    const ticketed = { 'x-ticket': ticket }
    expect(await statusOf(`/data/${CLOSED.id}`, ticketed)).toBe(200)
    expect(await statusOf(`/data/${OTHER.id}`, ticketed)).toBe(403)
    await world.engine.shared.accessMap.revoke(ada())
    expect(await statusOf(`/data/${CLOSED.id}`, ticketed)).toBe(403)
    expect(await linkOf(bearer(jwt))).toMatchObject({ status: 401 })
    await world.engine.shared.accessMap.restore(ada())
    expect(await statusOf(`/data/${CLOSED.id}`, ticketed)).toBe(200)
    await world.engine.shared.accessMap.unmap(readers(), {})
    expect(await statusOf(`/data/${CLOSED.id}`, ticketed)).toBe(403)
    await world.engine.shared.accessMap.map(readers(), { projects: ['ALPHA-1'] })
  })
})

describe('revocation', () => {
  test('of a subject, or of one token by its jti, ends access at the next request', async () => {
    const { accessMap } = world.engine.shared
    const token = {
      issuer: provider.issuer,
      kind: 'token',
      name: decodeJwt(jwt).jti ?? '',
    } as const
    for (const revoked of [ada(), token]) {
      expect(await statusOf(`/data/${CLOSED.id}`, bearer(jwt))).toBe(200)
      await accessMap.revoke(revoked)
      expect(await statusOf(`/data/${CLOSED.id}`, bearer(jwt))).toBe(403)
      await accessMap.restore(revoked)
    }
  })
})

describe('an issuer in trouble', () => {
  test.each(['garbage', 'failing'] as const)('%s: 503 for its tokens alone', async (mood) => {
    await reopen()
    provider.mood = mood
    try {
      const { secret } = await world.engine.shared.tokens.create({
        user: 'ada',
        projects: ['ALPHA-1'],
      })
      const response = await ask(`/data/${CLOSED.id}`, bearer(jwt))
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('60')
      expect(await response.json()).toMatchObject({ message: expect.stringContaining('the keys') })
      expect(await statusOf(`/data/${CLOSED.id}`, custom(secret))).toBe(200)
      expect(await statusOf(`/data/${OPEN.id}`, bearer(jwt))).toBe(200)
      expect(await statusOf('/files', bearer(jwt))).toBe(200)
    } finally {
      provider.mood = 'well'
      await reopen()
    }
  })

  test('a flood of tokens of unknown keys causes no further fetch within a minute', async () => {
    expect(await statusOf(`/data/${CLOSED.id}`, bearer(jwt))).toBe(200)
    const before = keyFetches()
    const { kid = '' } = decodeProtectedHeader(jwt)
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    for (let i = 0; i < 50; i++) {
      const forged = new SignJWT(decodeJwt(jwt))
        .setProtectedHeader({ alg: 'RS256', kid: `${kid}-${i}` })
        .sign(privateKey)
      expect(await statusOf(`/data/${CLOSED.id}`, bearer(await forged))).toBe(403)
    }
    expect(keyFetches()).toBe(before)
    expect(await statusOf(`/data/${CLOSED.id}`, bearer(jwt))).toBe(200)
  })

  test('a token that the provider signs for another audience or with another type', async () => {
    const [rsa] = provider.keys
    const key = await importJWK(rsa!, 'RS256')
    const signed = (claims: object, header: object = {}) =>
      new SignJWT({ ...decodeJwt(jwt), ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: rsa?.kid ?? '', ...header })
        .sign(key)
    expect(await statusOf(`/data/${CLOSED.id}`, bearer(await signed({})))).toBe(200)
    expect(await statusOf(`/data/${CLOSED.id}`, bearer(await signed({ aud: 'x' })))).toBe(403)
    const logout = await signed({}, { typ: 'logout+jwt' })
    expect(await statusOf(`/data/${CLOSED.id}`, bearer(logout))).toBe(403)
  })
})
