import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { calculateJwkThumbprint, exportSPKI, importJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sharedState } from '../../../shared-state.ts'
import type { Database } from '../../database/database.ts'
import { AccessMap } from '../claims/access-map.ts'
import { ClaimRightsReader } from '../claims/claim-rights.ts'
import { KEY_TIMES } from './issuer-keys.ts'
import { JWT_LIMITS, type JwtRules, JwtVerifier } from './jwt-verifier.ts'
import { SECOND, TestIssuer } from './support/test-issuer.ts'

let folder = ''
let database: Database
let map: AccessMap
let issuer: TestIssuer
let verifier: JwtVerifier
let reported: string[]
/** Milliseconds: the time of day, and that of a clock that only goes on. */
const clock = { now: SECOND * 1000, monotonic: 0 }
const time = () => new Date(clock.now)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-jwt-'))
  database = sharedState({ dataFolder: folder })
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

const makeVerifier = (rules: Partial<JwtRules> = {}) =>
  new JwtVerifier(
    {
      issuers: [issuer.url],
      audiences: ['casemill', 'other'],
      algorithms: ['ES256', 'RS256', 'EdDSA'],
      skewSeconds: 60,
      acceptsRegistry: false,
      fetchDocument: issuer.fetchDocument,
      ...rules,
    },
    {
      database,
      rights: new ClaimRightsReader(database),
      clock: time,
      now: () => clock.monotonic,
      report: ({ message }) => reported.push(message),
    },
  )

beforeEach(async () => {
  clock.now = SECOND * 1000
  clock.monotonic = 0
  reported = []
  await database.write(async (transaction) => {
    for (const table of ['access_map', 'access_revocations', 'lent_jwts']) {
      await transaction.run(`DELETE FROM ${table}`)
    }
  })
  issuer = new TestIssuer()
  map = new AccessMap(database, time)
  verifier = makeVerifier()
  await map.map({ issuer: issuer.url, claim: 'groups', value: 'readers' }, { projects: ['P-1'] })
})

describe('rights', () => {
  test('a token has the rights of its claims, and the name of its subject at the issuer', async () => {
    const token = await issuer.sign({ groups: ['readers', 'others'], jti: 'token-1' })
    expect(verifier.accepts(token)).toBe(true)
    expect(await verifier.verify(token)).toEqual({
      user: 'https://login.example.org#ada',
      admin: false,
      projects: new Map([['P-1', ['download', 'read']]]),
      purposes: [],
      credential: { kind: 'jwt', id: expect.stringMatching(/^[0-9a-f]{32}$/) },
    })
    const without = await verifier.verify(await issuer.sign({ groups: 'writers' }))
    expect(without).toMatchObject({ admin: false, projects: new Map() })
  })

  test('an edit of the map takes effect at the next request', async () => {
    const token = await issuer.sign({ groups: 'readers', realm_access: { roles: ['boss'] } })
    const of = { issuer: issuer.url, claim: 'realm_access.roles', value: 'boss' }
    expect(await verifier.verify(token)).toMatchObject({ admin: false })
    await map.map(of, { admin: true, purposes: ['HMB', 'IRB'] })
    expect(await verifier.verify(token)).toMatchObject({
      admin: true,
      purposes: ['DUO:0000006', 'DUO:0000021'],
    })
    await map.unmap(of, {})
    expect(await verifier.verify(token)).toMatchObject({ admin: false })
  })

  test('claims of one issuer give nothing that is mapped for another', async () => {
    const other = new TestIssuer('https://elsewhere.example')
    const both = makeVerifier({
      issuers: [issuer.url, other.url],
      fetchDocument: (url) => (url.startsWith(other.url) ? other : issuer).fetchDocument(url),
    })
    const token = await other.sign({ groups: 'readers' })
    expect(await both.verify(token)).toMatchObject({ projects: new Map() })
    // Signed by the key of one, and said to be of the other.
    expect(await both.verify(await other.sign({ iss: issuer.url, groups: 'readers' }))).toBe(
      undefined,
    )
  })

  test.each([
    ['subject', 'ada'],
    ['token', 'token-1'],
  ] as const)('a revoked %s is refused until it is restored', async (kind, name) => {
    const token = await issuer.sign({ groups: 'readers', jti: 'token-1' })
    const other = await issuer.sign({ groups: 'readers', jti: 'token-2', sub: 'bob' })
    expect(await verifier.verify(token)).toBeDefined()
    const revoked = { issuer: issuer.url, kind, name }
    await map.revoke(revoked)
    expect(await verifier.verify(token)).toBeUndefined()
    expect(await verifier.verify(other)).toBeDefined()
    await map.restore(revoked)
    expect(await verifier.verify(token)).toBeDefined()
  })

  test('a token without a name of its own is revoked by the id in records', async () => {
    const token = await issuer.sign({ groups: 'readers' })
    const id = (await verifier.verify(token))?.credential?.id ?? ''
    await map.revoke({ issuer: issuer.url, kind: 'token', name: id })
    expect(await verifier.verify(token)).toBeUndefined()
  })

  test('the registry accepts it by the setting, and with a right in the registry', async () => {
    const token = await issuer.sign({ groups: 'readers' })
    const open = makeVerifier({ acceptsRegistry: true })
    expect(await open.callerOf(token)).toBeUndefined()
    const of = { issuer: issuer.url, claim: 'groups', value: 'readers' }
    await map.map(of, { registry: [] })
    expect(await open.callerOf(token)).toEqual({
      user: 'https://login.example.org#ada',
      roles: new Set(),
    })
    await map.map(of, { registry: ['RX_EDITOR'] })
    expect((await open.callerOf(token))?.roles).toEqual(new Set(['RX_EDITOR']))
    expect(await verifier.callerOf(token)).toBeUndefined()
  })
})

describe('times', () => {
  // RFC 7519 4.1.4: a token is not accepted on or after its exp; the skew moves both ends.
  test.each([
    [{ exp: SECOND + 10 }, 69, true],
    [{ exp: SECOND + 10 }, 70, false],
    [{ nbf: SECOND + 100 }, 39, false],
    [{ nbf: SECOND + 100 }, 40, true],
    [{ iat: SECOND + 1000 }, 0, true],
  ])('%j after %i seconds: %s', async (claims, seconds, isGood) => {
    const token = await issuer.sign({ groups: 'readers', ...claims })
    clock.now = (SECOND + seconds) * 1000
    expect((await verifier.verify(token)) !== undefined).toBe(isGood)
  })

  test('a remembered token ends in time', async () => {
    const token = await issuer.sign({ groups: 'readers', exp: SECOND + 10 })
    expect(await verifier.verify(token)).toBeDefined()
    clock.now = (SECOND + 70) * 1000 - 1
    expect(await verifier.verify(token)).toBeDefined()
    clock.now += 1
    expect(await verifier.verify(token)).toBeUndefined()
  })
})

describe('tokens that are refused', () => {
  const good = { groups: 'readers' }

  test.each([
    ['another audience', { aud: 'somebody' }],
    ['no audience', { aud: undefined }],
    ['audiences without this one', { aud: ['a', 'b'] }],
    ['another issuer', { iss: 'https://login.example.org/' }],
    ['an issuer that is no text', { iss: ['https://login.example.org'] }],
    ['no issuer', { iss: undefined }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject that is no text', { sub: 7 }],
    ['a subject with a control character', { sub: 'a\u0000b' }],
    ['a subject of 256 characters', { sub: 'a'.repeat(256) }],
    ['no end', { exp: undefined }],
    ['an end that is no number', { exp: '9999999999' }],
    ['a name that is no text', { jti: 7 }],
    ['a key of the holder', { cnf: { jkt: 'x' } }],
  ])('%s', async (_, claims) => {
    const token = await issuer.sign({ ...good, ...claims })
    expect(await verifier.verify(token)).toBeUndefined()
    expect(await verifier.verify(await issuer.sign(good))).toBeDefined()
  })

  test.each([['logout+jwt'], ['dpop+jwt'], ['secevent+jwt'], ['id+jwt']])(
    'the type %s',
    async (typ) => {
      expect(await verifier.verify(await issuer.sign(good, { typ }))).toBeUndefined()
    },
  )

  test.each([['JWT'], ['at+jwt'], ['application/at+jwt']])('not the type %s', async (typ) => {
    expect(await verifier.verify(await issuer.sign(good, { typ }))).toBeDefined()
  })

  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test('without a signature (none), in all spellings', async () => {
    const [, payload] = (await issuer.sign(good)).split('.')
    for (const alg of ['none', 'None', 'NONE', '']) {
      for (const end of ['', 'AA']) {
        const forged = `${encoded({ alg, kid: 'key-0' })}.${payload}.${end}`
        expect(verifier.accepts(forged) && (await verifier.verify(forged))).toBeFalsy()
      }
    }
  })

  test('signed by HS256 with the public key as its secret', async () => {
    const jwk = await issuer.rotate({ alg: 'RS256' })
    const [, payload] = (await issuer.sign(good)).split('.')
    const key = await importJWK(jwk, 'RS256', { extractable: true })
    const pem = await exportSPKI(key as Exclude<typeof key, Uint8Array>)
    const thumbprint = await calculateJwkThumbprint(jwk)
    for (const secret of [pem, pem.trim(), JSON.stringify(jwk), jwk.n ?? '', thumbprint]) {
      const head = `${encoded({ alg: 'HS256', kid: jwk.kid })}.${payload}`
      const mac = createHmac('sha256', secret).update(head).digest('base64url')
      expect(await verifier.verify(`${head}.${mac}`)).toBeUndefined()
    }
    // Also if an operator permits the algorithm: the published set has no secret.
    const lax = makeVerifier({ algorithms: ['HS256', 'RS256'] })
    issuer.published.push({ kty: 'oct', k: 'c2VjcmV0', kid: 'secret', alg: 'HS256' })
    const token = await new SignJWT({ ...good, iss: issuer.url, aud: 'casemill', sub: 'ada' })
      .setProtectedHeader({ alg: 'HS256', kid: 'secret' })
      .setExpirationTime(SECOND + 60)
      .sign(Buffer.from('secret'))
    expect(await lax.verify(token)).toBeUndefined()
  })

  test('signed by an algorithm that is not permitted', async () => {
    const strict = makeVerifier({ algorithms: ['RS256'] })
    expect(await strict.verify(await issuer.sign(good))).toBeUndefined()
    await issuer.rotate({ alg: 'RS256' })
    clock.monotonic += KEY_TIMES.pause
    expect(await strict.verify(await issuer.sign(good))).toBeDefined()
  })

  test('signed by a key that the token brings or links to', async () => {
    const token = await issuer.sign(good)
    expect(await verifier.verify(token)).toBeDefined()
    const stranger = new TestIssuer(issuer.url)
    const jwk = await stranger.rotate({ kid: 'theirs' })
    const tries = [
      { jwk },
      { jku: 'https://evil.example/keys' },
      { x5u: 'https://evil.example/cert' },
      { jku: 'https://evil.example/keys', kid: 'key-0' },
      { kid: '../../etc/passwd' },
    ]
    for (const header of tries) {
      const forged = await stranger.sign(good, header)
      expect(await verifier.verify(forged), JSON.stringify(header)).toBeUndefined()
    }
    expect(issuer.fetches.every((address) => address.startsWith(issuer.url))).toBe(true)
  })

  test('with an extension that must be understood', async () => {
    const token = await issuer.sign(good)
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
    expect(await verifier.verify(await issuer.signText({}, payload))).toBeDefined()
    for (const more of [{ crit: ['exp2'], exp2: 1 }, { crit: [] }, { crit: ['b64'], b64: false }]) {
      expect(await verifier.verify(await issuer.signText(more, payload))).toBeUndefined()
    }
  })

  test('a token inside a token, and a text inside one', async () => {
    const inner = await issuer.sign(good)
    for (const content of [inner, JSON.stringify(inner), '[]', 'null', '7', '{"iss":', '']) {
      const outer = await issuer.signText({ cty: 'JWT' }, content)
      expect(verifier.accepts(outer) && (await verifier.verify(outer)), content).toBeFalsy()
    }
  })

  test('changed in any part', async () => {
    const token = await issuer.sign(good)
    expect(await verifier.verify(token)).toBeDefined()
    const parts = token.split('.')
    for (const [part, text] of parts.entries()) {
      for (let at = 0; at < text.length; at += 7) {
        const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
        const forged = parts.with(part, changed).join('.')
        expect(await verifier.verify(forged), `${part} ${at}`).toBeUndefined()
      }
    }
    expect(await verifier.verify(token)).toBeDefined()
  })

  test('what is no token, or larger than any', async () => {
    const huge = await issuer.sign({ ...good, more: 'x'.repeat(JWT_LIMITS.characters) })
    const many = ['', '.', '..', 'a.b', 'a.b.c.d', 'a.b.c.d.e', 'ü.ü.ü', 'a b.c.d', huge]
    for (const text of many) expect(verifier.accepts(text), text.slice(0, 20)).toBe(false)
    for (const text of [
      'a.b.c',
      'e30.e30.e30',
      `e30.${encoded([])}.AA`,
      `e30.${encoded(null)}.AA`,
    ]) {
      expect(await verifier.verify(text)).toBeUndefined()
    }
    expect(issuer.fetches).toEqual([])
    const deep = `${'['.repeat(6000)}${']'.repeat(6000)}`
    expect(
      await verifier.verify(`e30.${Buffer.from(deep).toString('base64url')}.AA`),
    ).toBeUndefined()
  })
})

describe('keys', () => {
  const good = { groups: 'readers' }

  test('they are fetched once for many tokens at once', async () => {
    await issuer.rotate()
    const tokens = await Promise.all(
      Array.from({ length: 50 }, (_, i) => issuer.sign({ ...good, jti: `${i}` })),
    )
    const all = await Promise.all(tokens.map((token) => verifier.verify(token)))
    expect(all.every((principal) => principal !== undefined)).toBe(true)
    expect(issuer.fetches).toHaveLength(2)
  })

  test('a rotated key is found, and one that was withdrawn ends with the next fetch', async () => {
    const old = await issuer.sign(good)
    expect(await verifier.verify(old)).toBeDefined()
    await issuer.rotate({ kid: 'second' })
    const fresh = await issuer.sign(good)
    clock.monotonic += KEY_TIMES.pause
    expect(await verifier.verify(fresh)).toBeDefined()
    expect(await verifier.verify(old)).toBeDefined()
    issuer.published.shift()
    clock.monotonic += KEY_TIMES.fresh
    expect(await verifier.verify(old)).toBeUndefined()
    expect(await verifier.verify(fresh)).toBeDefined()
  })

  test('tokens of unknown keys cause one fetch a minute, also many at once', async () => {
    expect(await verifier.verify(await issuer.sign(good))).toBeDefined()
    const stranger = new TestIssuer(issuer.url)
    let minutes = 0
    for (let round = 0; round < 5; round++) {
      const flood = await Promise.all(
        Array.from({ length: 100 }, (_, i) => stranger.sign(good, { kid: `${round}-${i}` })),
      )
      const all = await Promise.all(flood.map((token) => verifier.verify(token)))
      expect(all.every((principal) => principal === undefined)).toBe(true)
      expect(issuer.fetches.length).toBe(2 * (minutes + 1))
      clock.monotonic += KEY_TIMES.pause / 2
      minutes = Math.floor(clock.monotonic / KEY_TIMES.pause)
    }
  })

  test('an issuer that does not answer is asked once a minute, and its tokens are 503', async () => {
    issuer.before = async () => {
      throw new Error('no answer')
    }
    const token = await issuer.sign(good)
    const refused = { code: 'busy', retryAfterSeconds: 60 }
    for (let i = 0; i < 20; i++) await expect(verifier.verify(token)).rejects.toMatchObject(refused)
    expect(issuer.fetches).toHaveLength(1)
    expect(reported).toEqual([`the keys of the issuer ${issuer.url} cannot be read`])
    clock.monotonic += KEY_TIMES.pause
    issuer.before = async () => {}
    expect(await verifier.verify(token)).toBeDefined()
  })

  test('keys are used for an hour while the issuer does not answer', async () => {
    const token = await issuer.sign(good)
    expect(await verifier.verify(token)).toBeDefined()
    issuer.before = async () => {
      throw new Error('no answer')
    }
    clock.monotonic = KEY_TIMES.longest - 1
    expect(await verifier.verify(token)).toBeDefined()
    clock.monotonic = KEY_TIMES.longest
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'busy' })
    expect(issuer.fetches.length).toBe(3)
  })

  test('keys are renewed after five minutes while requests go on', async () => {
    const token = await issuer.sign(good)
    expect(await verifier.verify(token)).toBeDefined()
    clock.monotonic = KEY_TIMES.renewed
    let answer = () => {}
    issuer.before = () => new Promise((resolve) => (answer = resolve))
    expect(await verifier.verify(token)).toBeDefined()
    expect(issuer.fetches).toHaveLength(3)
    answer()
  })

  test.each([
    ['names another issuer', { issuer: 'https://evil.example' }],
    ['has no address of keys', { jwks_uri: undefined }],
    ['has keys at a plain address', { jwks_uri: 'http://login.example.org/keys' }],
    ['has keys on this machine', { jwks_uri: 'http://127.0.0.1/keys' }],
    ['has keys in a file', { jwks_uri: 'file:///etc/passwd' }],
    ['has a user in an address', { jwks_uri: 'https://a:b@login.example.org/keys' }],
  ])('a configuration that %s is not used', async (_, configuration) => {
    Object.assign(issuer.configuration, configuration)
    const token = await issuer.sign(good)
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'busy' })
    expect(issuer.fetches).toHaveLength(1)
  })

  test('keys that are no public keys for signatures are ignored', async () => {
    const token = await issuer.sign(good)
    issuer.published.unshift(
      { kty: 'oct', k: 'c2VjcmV0', kid: 'a' },
      { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'small' },
      { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', kid: 'none' },
      {} as never,
      null as never,
    )
    expect(await verifier.verify(token)).toBeDefined()
  })

  test('a set with more than a hundred keys is not used', async () => {
    const token = await issuer.sign(good)
    const [key] = issuer.published
    issuer.published.push(...Array.from({ length: 100 }, () => key!))
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'busy' })
  })
})

describe('links', () => {
  test('every node knows the bearer of a link, with the rights of now', async () => {
    const token = await issuer.sign({ groups: 'readers', jti: 'token-1', email: 'ada@example.org' })
    const principal = await verifier.verify(token)
    const id = (await verifier.lend(token)) ?? ''
    expect(id).toBe(principal?.credential?.id)
    const other = makeVerifier()
    expect(await other.bearer(id)).toEqual(principal)
    const rows = await database.ask<{ claims: string }>('SELECT * FROM lent_jwts')
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('@')
    await map.unmap({ issuer: issuer.url, claim: 'groups', value: 'readers' }, {})
    expect(await other.bearer(id)).toMatchObject({ projects: new Map() })
    await map.revoke({ issuer: issuer.url, kind: 'token', name: 'token-1' })
    expect(await other.bearer(id)).toBeUndefined()
  })

  test('it ends with the token, or within an hour, and tokens that ended are removed', async () => {
    const short = await issuer.sign({ groups: 'readers', exp: SECOND + 10 })
    const long = await issuer.sign({ groups: 'readers', exp: SECOND + 100_000 })
    const [first, second] = [await verifier.lend(short), await verifier.lend(long)]
    clock.now += 70_000 - 1
    expect(await verifier.bearer(first ?? '')).toBeDefined()
    clock.now += 1
    expect(await verifier.bearer(first ?? '')).toBeUndefined()
    clock.now = SECOND * 1000 + 3_600_000 - 1
    expect(await verifier.bearer(second ?? '')).toBeDefined()
    clock.now += 1
    expect(await verifier.bearer(second ?? '')).toBeUndefined()
    expect(await verifier.lend(long)).toBe(second)
    expect(await verifier.bearer(second ?? '')).toBeDefined()
    expect(await database.ask('SELECT id FROM lent_jwts')).toEqual([{ id: second }])
  })

  test('an issuer that is no longer accepted ends its links', async () => {
    const id = (await verifier.lend(await issuer.sign({ groups: 'readers' }))) ?? ''
    expect(await verifier.bearer(id)).toBeDefined()
    expect(await makeVerifier({ issuers: ['https://else.example'] }).bearer(id)).toBeUndefined()
    expect(await verifier.bearer('0'.repeat(32))).toBeUndefined()
  })
})
