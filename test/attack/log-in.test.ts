import fc from 'fast-check'
import { exportJWK, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type LoginWorld,
  OWN_PAGE,
  sessionOf,
  startLoginWorld,
} from '../login/support/login-world.ts'
import { Visitor } from '../login/support/visitor.ts'

// What strangers try at the log-in: with codes, states, cookies and pages of their own. The provider is real.

let world: LoginWorld
beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(() => {
  world.provider.mood = 'well'
})

const at = (path: string) => `${world.address}${path}`
const statusOf = async (visitor: Visitor) => (await visitor.ask(at('/auth/user'))).status

/** Goes to the institution and back, up to the address that ends the log-in, which is not visited. */
async function returnOf(visitor: Visitor, account = 'ada'): Promise<string> {
  const form = await visitor.follow(at('/auth/login'))
  const isEnd = (to: string) => to.startsWith(world.address)
  return (await visitor.logIn(form.at, account, isEnd)).next ?? ''
}

describe('codes and states', () => {
  test('a code works once', async () => {
    const visitor = new Visitor()
    const end = await returnOf(visitor)
    const cookies = new Map(visitor.cookies(world.address))
    await visitor.ask(end)
    expect(await statusOf(visitor)).toBe(200)
    const again = new Visitor()
    for (const [name, value] of cookies) again.setCookie(world.address, name, value)
    const replayed = await again.ask(end)
    expect(replayed.headers.get('location')).toBe('/auth?error=401&next=%2F')
    expect(await statusOf(again)).toBe(401)
  })

  test('a log-in that one browser began ends in no other', async () => {
    const attacker = new Visitor()
    const end = await returnOf(attacker, 'bob')
    const bare = new Visitor()
    expect((await bare.ask(end)).headers.get('location')).toContain('error=401')
    expect(await statusOf(bare)).toBe(401)
    // A victim who is about to log in has a cookie, but of another state.
    const victim = new Visitor()
    await victim.ask(at('/auth/login'))
    expect((await victim.ask(end)).headers.get('location')).toContain('error=401')
    expect(await statusOf(victim)).toBe(401)
  })

  test.each([
    ['state', 'a'.repeat(43)],
    ['state', ''],
    ['code', 'a'.repeat(43)],
    ['code', ''],
    ['iss', 'https://other.example.org'],
  ])('a return with another %s logs nobody in (%j)', async (name, value) => {
    const visitor = new Visitor()
    const end = new URL(await returnOf(visitor))
    end.searchParams.set(name, value)
    const response = await visitor.ask(end.href)
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toContain('error=401')
    expect(await statusOf(visitor)).toBe(401)
  })

  test('the code of one browser with the verifier of another logs nobody in', async () => {
    const [one, other] = [new Visitor(), new Visitor()]
    const [first, second] = [new URL(await returnOf(one)), new URL(await returnOf(other, 'bob'))]
    second.searchParams.set('code', first.searchParams.get('code') ?? '')
    expect((await other.ask(second.href)).headers.get('location')).toContain('error=401')
    expect(await statusOf(other)).toBe(401)
  })

  test('any text in the cookie or the return logs nobody in and is never an error of the service', async () => {
    const anything = fc.asyncProperty(
      fc.string({ maxLength: 200 }),
      fc.string({ maxLength: 200 }),
      fc.string({ maxLength: 200 }),
      async (cookie, state, code) => {
        const visitor = new Visitor()
        const value = Buffer.from(cookie).toString('base64url')
        visitor.setCookie(world.address, 'casemill-login', value)
        const response = await visitor.ask(
          at(`/auth/login/callback?${new URLSearchParams({ state, code })}`),
        )
        expect(response.status).toBe(303)
        expect(sessionOf(visitor, world.address)).toBeUndefined()
      },
    )
    await fc.assert(anything, { seed: 11, numRuns: 60 })
  })
})

describe('sessions', () => {
  test('a session that the browser had before the log-in is not taken over, and ends', async () => {
    const attacker = await world.logIn('bob')
    const planted = sessionOf(attacker.visitor, world.address)!
    const victim = new Visitor()
    victim.setCookie(world.address, 'sessionid', planted)
    await world.logIn('ada', '/', victim)
    expect(sessionOf(victim, world.address)).not.toBe(planted)
    expect(await statusOf(attacker.visitor)).toBe(401)
    expect(await (await victim.ask(at('/auth/user'))).json()).toMatchObject({
      username: 'Ada Example',
    })
  })

  test('a session is not extended by its cookie: it ends with its idle life', async () => {
    const { visitor } = await world.logIn('ada')
    world.clock.now += 3_600_000
    expect(await statusOf(visitor)).toBe(401)
  })

  test('a person who is revoked has no session and no token from then on', async () => {
    const { visitor } = await world.logIn('bob')
    const refresh = await visitor.ask(at('/auth/token/refresh'), { headers: OWN_PAGE })
    const token = await refresh.text()
    const withToken = async () =>
      (await fetch(at('/auth/user'), { headers: { 'X-Auth-Token': token } })).status
    expect([await statusOf(visitor), await withToken()]).toEqual([200, 200])
    const bob = { issuer: world.provider.issuer, kind: 'subject', name: 'bob' } as const
    await world.engine.shared.accessMap.revoke(bob)
    expect([await statusOf(visitor), await withToken()]).toEqual([401, 401])
    await world.engine.shared.accessMap.restore(bob)
  })
})

/** Headers of a request that a page elsewhere makes the browser send, by the Fetch Metadata or before it. */
const ELSEWHERE = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'none' },
  { Origin: 'https://evil.example.org' },
  { Origin: 'null' },
  { Referer: 'https://evil.example.org/auth' },
  {},
] as const

describe.each(ELSEWHERE.map((headers) => [headers]))('a page elsewhere (%j)', (headers) => {
  let visitor: Visitor
  beforeAll(async () => {
    visitor = (await world.logIn('ada')).visitor
  })

  test('cannot log a person out', async () => {
    expect((await visitor.ask(at('/auth/logout'), { headers })).status).toBe(403)
    expect(await statusOf(visitor)).toBe(200)
  })

  test('cannot make or end a token', async () => {
    expect((await visitor.ask(at('/auth/token/refresh'), { headers })).status).toBe(403)
    const body = JSON.stringify({ name: 'stolen' })
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const init = { method: 'POST', body, headers: { ...headers, 'Content-Type': type } }
      expect((await visitor.ask(at('/auth/tokens'), init)).status).toBe(401)
    }
    const end = await visitor.ask(at('/auth/tokens/0123456789abcdef'), {
      method: 'DELETE',
      headers,
    })
    expect(end.status).toBe(401)
    const user = `${world.provider.issuer}#ada`
    expect(await world.engine.shared.people?.tokens.list(user)).toEqual([])
  })

  test('cannot submit with the session', async () => {
    const init = {
      method: 'POST',
      body: '{}',
      headers: { ...headers, 'Content-Type': 'application/json' },
    }
    const sent = await visitor.ask(at('/submission/P/1'), init)
    const nobody = await new Visitor().ask(at('/submission/P/1'), init)
    expect(sent.status).toBe(403)
    expect(await sent.text()).toBe(await nobody.text())
  })
})

describe('pages to which the browser goes afterwards', () => {
  const OTHERS = [
    '//evil.example.org',
    '///evil.example.org',
    '/\\evil.example.org',
    '\\\\evil.example.org',
    '\\/evil.example.org',
    'https://evil.example.org/',
    'https:evil.example.org',
    'https:/\\evil.example.org',
    'javascript:alert(1)',
    'data:text/html,x',
    '/\t/evil.example.org',
    '/\n/evil.example.org',
    '\u0000//evil.example.org',
    ' //evil.example.org',
    '/%0d%0aLocation:%20https://evil.example.org',
    '/.//evil.example.org',
    '/..//evil.example.org',
    '//user@evil.example.org',
    'http://127.0.0.1@evil.example.org/',
  ]

  test.each(OTHERS)('%j leads to this host', async (next) => {
    const isOwn = (location: string | null | undefined) => {
      expect(location).toMatch(/^\/(?![/\\])/)
      expect(new URL(location ?? '', world.address).origin).toBe(world.address)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
      expect(location).not.toMatch(/[\u0000-\u0020\\]/)
    }
    const query = `?next=${encodeURIComponent(next)}`
    isOwn((await world.logIn('ada', next)).next)
    const out = await new Visitor().ask(at(`/auth/logout${query}`), { headers: OWN_PAGE })
    isOwn(out.headers.get('location'))
    const state = `?state=${encodeURIComponent(next.slice(0, 4000))}`
    isOwn((await new Visitor().ask(at(`/auth/logged-out${state}`))).headers.get('location'))
  })
})

test('a person comes back although the path of the page was long once escaped', async () => {
  const { visitor, next } = await world.logIn('ada', `/files?name=${'ü'.repeat(900)}`)
  expect(next).toBe('/')
  expect(await statusOf(visitor)).toBe(200)
})

test('a session ends when its browser logs in with a token instead', async () => {
  const { visitor } = await world.logIn('ada')
  const former = sessionOf(visitor, world.address) ?? ''
  const { secret } = await world.engine.shared.tokens.create({ user: 'operator' })
  const body = new URLSearchParams({ token: secret })
  const sent = await visitor.ask(at('/auth'), { method: 'POST', body, headers: OWN_PAGE })
  expect([sent.status, sessionOf(visitor, world.address)]).toEqual([303, secret])
  const old = new Visitor()
  old.setCookie(world.address, 'sessionid', former)
  expect(await statusOf(old)).toBe(401)
})

test('a page whose path is too long is no page', async () => {
  const next = `/${'a'.repeat(5000)}`
  const visitor = new Visitor()
  const response = await visitor.ask(at(`/auth/login?next=${next}`))
  expect(response.status).toBe(400)
  expect((await visitor.ask(at(`/auth/logged-out?state=${next}`))).status).toBe(400)
  const state = `/${'a'.repeat(3000)}`
  const back = await visitor.ask(at(`/auth/logged-out?state=${state}`))
  expect(back.headers.get('location')).toBe('/')
})

describe('ID tokens that the institution did not sign for this log-in', () => {
  const KEY = new TextEncoder().encode(CLIENT_SECRET)
  const claimsOf = (nonce: string) => ({ sub: 'ada', name: 'Forged', nonce })
  const base = (nonce: string) =>
    new SignJWT(claimsOf(nonce))
      .setIssuer(world.provider.issuer)
      .setAudience(CLIENT_ID)
      .setIssuedAt()
      .setExpirationTime('5m')
  const keyOf = async (alg = 'RS256') => {
    const jwk = world.provider.keys.find((key) => key.alg === alg)
    if (!jwk) throw new Error(`the provider has no key for ${alg}`)
    return { jwk, key: await importJWK(jwk, alg) }
  }
  const signed = async (token: SignJWT, alg = 'RS256') => {
    const { jwk, key } = await keyOf(alg)
    return token.setProtectedHeader({ alg, kid: jwk.kid ?? '' }).sign(key)
  }
  const forge: Readonly<Record<string, (nonce: string) => Promise<string>>> = {
    'of no algorithm': async (nonce) =>
      new UnsecuredJWT(claimsOf(nonce))
        .setIssuer(world.provider.issuer)
        .setAudience(CLIENT_ID)
        .setIssuedAt()
        .setExpirationTime('5m')
        .encode(),
    'with the secret of the client': (nonce) =>
      base(nonce).setProtectedHeader({ alg: 'HS256' }).sign(KEY),
    'with the public key as a secret': async (nonce) => {
      const { n = '', kid = '' } = (await keyOf()).jwk
      return base(nonce).setProtectedHeader({ alg: 'HS256', kid }).sign(new TextEncoder().encode(n))
    },
    'by another key of the same name': async (nonce) => {
      const { privateKey } = await generateKeyPair('RS256')
      const kid = (await keyOf()).jwk.kid ?? ''
      return base(nonce).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)
    },
    'by a key in the token': async (nonce) => {
      const { privateKey, publicKey } = await generateKeyPair('RS256')
      const jwk = await exportJWK(publicKey)
      return base(nonce).setProtectedHeader({ alg: 'RS256', jwk, kid: 'own' }).sign(privateKey)
    },
    'for another service': (nonce) => signed(base(nonce).setAudience('other')),
    'for several services': (nonce) => signed(base(nonce).setAudience([CLIENT_ID, 'other'])),
    'of another issuer': (nonce) => signed(base(nonce).setIssuer('https://other.example.org')),
    'that has expired': (nonce) => signed(base(nonce).setExpirationTime('-5m')),
    'of another log-in': () => signed(base('another')),
    'cut short': async (nonce) => (await signed(base(nonce))).slice(0, -20),
    'that is no token': async () => 'a.b.c',
  }
  const logInWith = async (make: (nonce: string) => Promise<string>) => {
    const visitor = new Visitor()
    const first = await visitor.ask(at('/auth/login'))
    const there = first.headers.get('location') ?? ''
    const form = await visitor.follow(there)
    const isEnd = (to: string) => to.startsWith(world.address)
    const end = (await visitor.logIn(form.at, 'ada', isEnd)).next ?? ''
    world.provider.forgedIdToken = await make(new URL(there).searchParams.get('nonce') ?? '')
    try {
      const response = await visitor.ask(end)
      return { visitor, status: response.status, location: response.headers.get('location') }
    } finally {
      world.provider.forgedIdToken = undefined
    }
  }

  test('one that it did sign logs a person in', async () => {
    const { visitor } = await logInWith((nonce) => signed(base(nonce)))
    expect(await (await visitor.ask(at('/auth/user'))).json()).toMatchObject({ username: 'Forged' })
  })

  test.each(Object.entries(forge))('one %s logs nobody in', async (_, make) => {
    const { visitor, status, location } = await logInWith(make)
    expect(await statusOf(visitor)).toBe(401)
    expect([303, 503]).toContain(status)
    if (status === 303) expect(location).toMatch(/^\/auth(\?error=401|\/login\?next=)/)
  })
})

describe('an institution that does not answer as it should', () => {
  test.each(['garbage', 'failing'] as const)(
    'is told to people, and is no error of the service (%s)',
    async (mood) => {
      const visitor = new Visitor()
      const end = await returnOf(visitor)
      world.provider.mood = mood
      const response = await visitor.ask(end)
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('5')
      expect(await response.text()).toContain('Nobody can log in at the moment')
      expect(sessionOf(visitor, world.address)).toBeUndefined()
      const device = await fetch(at('/auth/device'), { method: 'POST' })
      expect(device.status).toBe(503)
    },
  )

  test('a person who is logged in does not notice', async () => {
    const { visitor } = await world.logIn('ada')
    world.provider.mood = 'failing'
    expect(await statusOf(visitor)).toBe(200)
    const out = await visitor.ask(at('/auth/logout?next=/files'), { headers: OWN_PAGE })
    expect(out.status).toBe(303)
    expect(await statusOf(visitor)).toBe(401)
  })
})
