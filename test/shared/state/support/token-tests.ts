import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { TokenStore } from '../../../../engine/shared/access/tokens.ts'
import type { StateBed } from './state-bed.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-01-01T00:00:00.000Z')

/** Tests of access tokens, wherever they are stored. */
export function tokenTests(bed: StateBed): void {
  let now: number
  let tokens: TokenStore
  const clock = () => new Date(now)
  beforeEach(() => {
    now = START
    tokens = new TokenStore(bed.database, clock)
  })

  test('a secret is its id and 43 random characters, and no two are alike', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => tokens.create({ user: 'ada' })))
    for (const { id, secret } of made) {
      expect(secret).toMatch(/^[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/)
      expect(secret.startsWith(`${id}_`)).toBe(true)
    }
    expect(new Set(made.map(({ secret }) => secret.split('_', 1)[0])).size).toBe(50)
    expect(new Set(made.map(({ secret }) => secret.slice(17))).size).toBe(50)
  })

  test('a good secret tells who it belongs to and what the user may see', async () => {
    const { id, secret } = await tokens.create({
      user: 'ada',
      projects: ['P-1', 'P-2:create,read', 'P-2'],
    })
    expect(await tokens.verify(secret)).toEqual({
      user: 'ada',
      admin: false,
      projects: new Map([
        ['P-1', ['download', 'read']],
        ['P-2', ['create', 'download', 'read']],
      ]),
      credential: { kind: 'token', id },
    })
  })

  test('rights belong to the user: tokens are equal, and only what is given is set', async () => {
    const { secret: first } = await tokens.create({ user: 'ada', projects: ['P-1'], admin: true })
    const { secret: second } = await tokens.create({ user: 'ada' })
    const { secret: other } = await tokens.create({ user: 'bob' })
    expect({ ...(await tokens.verify(second)), credential: undefined }).toEqual({
      ...(await tokens.verify(first)),
      credential: undefined,
    })
    expect(await tokens.verify(other)).toMatchObject({
      user: 'bob',
      admin: false,
      projects: new Map(),
    })

    await tokens.create({ user: 'ada', projects: ['P-2'] })
    expect(await tokens.verify(first)).toMatchObject({ admin: true })
    expect([...((await tokens.verify(first))?.projects.keys() ?? [])]).toEqual(['P-2'])

    await tokens.create({ user: 'ada', admin: false })
    expect(await tokens.verify(first)).toMatchObject({ admin: false })
    expect((await tokens.verify(first))?.projects.size).toBe(1)

    await tokens.create({ user: 'ada', projects: [] })
    expect((await tokens.verify(first))?.projects.size).toBe(0)
  })

  test('a token ends when its days are over, 30 when nothing is said', async () => {
    const { secret } = await tokens.create({ user: 'ada' })
    const { secret: short } = await tokens.create({ user: 'ada', expiresDays: 1 })
    now = START + DAY_MS - 1
    expect(await tokens.verify(short)).toBeDefined()
    now = START + DAY_MS
    expect(await tokens.verify(short)).toBeUndefined()
    now = START + 30 * DAY_MS - 1
    expect(await tokens.verify(secret)).toBeDefined()
    now = START + 30 * DAY_MS
    expect(await tokens.verify(secret)).toBeUndefined()
  })

  test('a revoked token ends at once, keeps its first time, and leaves the others', async () => {
    const { id, secret } = await tokens.create({ user: 'ada' })
    const { secret: other } = await tokens.create({ user: 'ada' })
    now += 1000
    await tokens.revoke(id)
    now += 1000
    await tokens.revoke(id)
    expect(await tokens.verify(secret)).toBeUndefined()
    expect(await tokens.verify(other)).toBeDefined()
    expect((await tokens.list()).find((token) => token.id === id)?.revokedAt).toBe(
      '2026-01-01T00:00:01.000Z',
    )
  })

  test('revoking what is no token is not_found, and a secret given by mistake is not repeated', async () => {
    const { secret } = await tokens.create({ user: 'ada' })
    await expect(tokens.revoke('0123456789abcdef')).rejects.toThrow(
      'no token has id 0123456789abcdef',
    )
    await expect(tokens.revoke(secret)).rejects.toThrow(
      expect.objectContaining({
        code: 'not_found',
        message: expect.not.stringContaining(secret.slice(17)),
      }),
    )
    expect(await tokens.verify(secret)).toBeDefined()
  })

  test('a revocation and new rights by one connection are seen by another at once', async () => {
    const mine = new TokenStore(bed.another(), clock)
    const theirs = new TokenStore(bed.another(), clock)
    const { id, secret } = await mine.create({ user: 'ada', projects: ['P-1'] })
    expect((await theirs.verify(secret))?.projects.has('P-1')).toBe(true)
    await mine.create({ user: 'ada', projects: ['P-2'] })
    expect((await theirs.verify(secret))?.projects.has('P-1')).toBe(false)
    await theirs.revoke(id)
    expect(await mine.verify(secret)).toBeUndefined()
  })

  test('the list tells everything but secrets, oldest first', async () => {
    const { id: first } = await tokens.create({
      user: 'ada',
      projects: ['P-1', 'P-2:read'],
      admin: true,
    })
    now += 1000
    const purposes = ['hmb', 'DS-MONDO:0004992']
    const { id: second } = await tokens.create({ user: 'bob', expiresDays: 2, purposes })
    await tokens.revoke(second)
    expect(await tokens.list()).toEqual([
      {
        id: first,
        user: 'ada',
        createdAt: '2026-01-01T00:00:00.000Z',
        expiresAt: '2026-01-31T00:00:00.000Z',
        revokedAt: null,
        admin: true,
        projects: ['P-1', 'P-2:read'],
        purposes: [],
      },
      {
        id: second,
        user: 'bob',
        createdAt: '2026-01-01T00:00:01.000Z',
        expiresAt: '2026-01-03T00:00:01.000Z',
        revokedAt: '2026-01-01T00:00:01.000Z',
        admin: false,
        projects: [],
        purposes: ['DUO:0000006', 'DUO:0000007 MONDO:0004992'],
      },
    ])
  })

  test.each([
    ['user', { user: '' }],
    ['user', { user: ' ada' }],
    ['user', { user: 'a\tb' }],
    ['user', { user: 'x'.repeat(129) }],
    ['projects[0]', { user: 'ada', projects: [''] }],
    ['projects[1]', { user: 'ada', projects: ['P-1', 'a b'] }],
    ['projects[0]', { user: 'ada', projects: ['P-1:'] }],
    ['projects[0]', { user: 'ada', projects: ['P-1:read,writ'] }],
    ['projects[0]', { user: 'ada', projects: ['P-1:read:create'] }],
    ['expiresDays', { user: 'ada', expiresDays: 0 }],
    ['expiresDays', { user: 'ada', expiresDays: 1.5 }],
    ['expiresDays', { user: 'ada', expiresDays: Number.NaN }],
    ['expiresDays', { user: 'ada', expiresDays: 3651 }],
  ])('an impossible %s makes no token (%#)', async (at, options) => {
    await expect(tokens.create(options)).rejects.toThrow(
      expect.objectContaining({ code: 'bad_input', at }),
    )
    expect(await tokens.list()).toEqual([])
  })

  test('what is not the secret, by one character or entirely, belongs to nobody and never throws', async () => {
    const { id, secret } = await tokens.create({ user: 'ada' })
    const odd = [
      ...['', '_', id, `${id}_`, ` ${secret}`, `${secret}\n`, `${secret}=`, secret.toUpperCase()],
      ...[secret.slice(0, -1), `${secret}a`, 'tökén', '\ud800', '\u0000', 'x'.repeat(10_000_000)],
      ...[`${'0'.repeat(16)}${secret.slice(16)}`, `${id}_${'A'.repeat(43)}`, "' OR 1=1 --"],
    ]
    for (const text of odd) expect(await tokens.verify(text)).toBeUndefined()
    for (const value of [undefined, null, 7, {}, [secret]]) {
      expect(await tokens.verify(value as unknown as string)).toBeUndefined()
    }
    for (let at = 0; at < secret.length; at++) {
      const changed = secret[at] === 'a' ? 'b' : 'a'
      expect(
        await tokens.verify(secret.slice(0, at) + changed + secret.slice(at + 1)),
      ).toBeUndefined()
    }
    const anyText = fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      expect(await tokens.verify(text)).toBeUndefined()
      expect(await tokens.verify(`${id}_${text}`)).toBeUndefined()
    })
    await fc.assert(anyText, { seed: 3, numRuns: 500 })
    expect(await tokens.verify(secret)).toBeDefined()
  })
}
