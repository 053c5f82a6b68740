import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { AccessMap } from '../../../../engine/shared/access/claims/access-map.ts'
import { ClaimRightsReader } from '../../../../engine/shared/access/claims/claim-rights.ts'
import type { PersonRights } from '../../../../engine/shared/access/people.ts'
import { MAX_SESSIONS, SessionStore } from '../../../../engine/shared/access/sessions.ts'
import type { Database } from '../../../../engine/shared/database/database.ts'
import type { StateBed } from './state-bed.ts'

const SECOND = 1000
const START = Date.parse('2026-01-01T00:00:00.000Z')
const TIMES = { idleSeconds: 3600, absoluteSeconds: 12 * 3600 }
const ISSUER = 'https://id.example.org'
const ADA = { issuer: ISSUER, subject: '1', claims: { groups: ['P-1'], name: 'Ada' } }
const BOB = { issuer: ISSUER, subject: '2', claims: { groups: [] } }

/** The claim `groups` names projects to read; `locked` locks the person out. */
const rights: PersonRights = {
  async rightsOf({ claims }) {
    if (claims.locked === true) return undefined
    const groups = claims.groups as readonly string[]
    const projects = new Map(groups.map((id) => [id, ['read']]))
    return { admin: false, projects, registry: undefined, purposes: [] }
  },
}

/** Tests of the sessions of people, wherever they are stored. */
export function sessionTests(bed: StateBed): void {
  let now: number
  let sessions: SessionStore
  const clock = () => new Date(now)
  const storeOf = (database: Database) =>
    new SessionStore({ database, clock, times: TIMES, rights })
  beforeEach(() => {
    now = START
    sessions = storeOf(bed.database)
  })

  test('a session has a new secret each time, and its hash alone is stored', async () => {
    const made = []
    for (let i = 0; i < 5; i++) made.push(await sessions.start(ADA))
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(5)
    for (const { id, secret } of made) {
      expect(secret).toMatch(/^cms_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/)
      expect(secret.startsWith(`cms_${id}_`)).toBe(true)
    }
    const rows = await bed.database.ask<Record<string, unknown>>('SELECT * FROM sessions')
    const stored = rows.map((row) =>
      Object.values(row).map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
      ),
    )
    for (const { secret } of made) expect(stored.flat().join('\n')).not.toContain(secret.slice(21))
  })

  test('the rights are those that the map of the operator gives to the claims, as long as it does', async () => {
    const { database } = bed
    const mapped = new ClaimRightsReader(database)
    const map = new AccessMap(database, clock)
    sessions = new SessionStore({ database, clock, times: TIMES, rights: mapped })
    const { id, secret, user } = await sessions.start(ADA)
    expect(user).toBe('https://id.example.org#1')
    const credential = { kind: 'session', id }
    const none = { user, admin: false, projects: new Map(), purposes: [], credential }
    expect(await sessions.verify(secret)).toEqual(none)
    const group = { issuer: ISSUER, claim: 'groups', value: 'P-1' }
    await map.map(group, { projects: ['P-7:create'], purposes: ['GRU'] })
    expect(await sessions.verify(secret)).toEqual({
      ...none,
      purposes: ['DUO:0000042'],
      projects: new Map([['P-7', ['create']]]),
    })
    await map.unmap(group, {})
    expect(await sessions.verify(secret)).toEqual(none)
    await map.revoke({ issuer: ISSUER, kind: 'token', name: id })
    expect(await sessions.verify(secret)).toBeUndefined()
    expect(await sessions.bearer(id)).toBeUndefined()
    const second = await sessions.start(ADA)
    expect(await sessions.verify(second.secret)).toBeDefined()
    await map.revoke({ issuer: ISSUER, kind: 'subject', name: ADA.subject })
    expect(await sessions.verify(second.secret)).toBeUndefined()
  })

  test('claims of a later log-in hold for all sessions of the person, and for nobody else', async () => {
    const first = await sessions.start(ADA)
    const other = await sessions.start(BOB)
    await sessions.start({ ...ADA, claims: { groups: ['P-9'] } })
    expect([...((await sessions.verify(first.secret))?.projects.keys() ?? [])]).toEqual(['P-9'])
    expect((await sessions.verify(other.secret))?.projects.size).toBe(0)
    await sessions.start({ ...ADA, claims: { groups: [], locked: true } })
    expect(await sessions.verify(first.secret)).toBeUndefined()
    expect(await sessions.verify(other.secret)).toBeDefined()
  })

  test('a subject of another issuer is another person', async () => {
    const { user } = await sessions.start(ADA)
    const other = await sessions.start({ ...ADA, issuer: 'https://other.example.org' })
    expect(other.user).not.toBe(user)
    await sessions.start({ ...ADA, claims: { groups: [], locked: true } })
    expect(await sessions.verify(other.secret)).toBeDefined()
  })

  test('a session ends when it is not used for its idle life', async () => {
    const { secret } = await sessions.start(ADA)
    now = START + TIMES.idleSeconds * SECOND - 1
    expect(await sessions.verify(secret)).toBeDefined()
    // That use was recorded.
    now += TIMES.idleSeconds * SECOND - 1
    expect(await sessions.verify(secret)).toBeDefined()
    now += TIMES.idleSeconds * SECOND
    expect(await sessions.verify(secret)).toBeUndefined()
  })

  test('the use that one server records keeps the session alive on another', async () => {
    const other = storeOf(bed.another())
    const { secret } = await sessions.start(ADA)
    now += TIMES.idleSeconds * SECOND - 1
    expect(await sessions.verify(secret)).toBeDefined()
    const used = 'SELECT used_at FROM sessions'
    await expect
      .poll(async () => (await bed.database.ask<{ used_at: string }>(used))[0]?.used_at)
      .toBe(clock().toISOString())
    now += TIMES.idleSeconds * SECOND - 1
    expect(await other.verify(secret)).toBeDefined()
  })

  test('a session ends with its absolute life, however much it is used', async () => {
    const { secret } = await sessions.start(ADA)
    for (let used = 0; used < TIMES.absoluteSeconds - 1800; used += 1800) {
      now += 1800 * SECOND
      expect(await sessions.verify(secret)).toBeDefined()
    }
    now = START + TIMES.absoluteSeconds * SECOND - 1
    expect(await sessions.verify(secret)).toBeDefined()
    now += 1
    expect(await sessions.verify(secret)).toBeUndefined()
  })

  test('a session that ends by log-out ends for all servers, and no other with it', async () => {
    const other = storeOf(bed.another())
    const { id, secret } = await sessions.start(ADA)
    const { secret: second } = await sessions.start(ADA)
    expect(await other.verify(secret)).toBeDefined()
    expect(await sessions.end(`${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`)).toBe(
      false,
    )
    expect(await other.bearer(id)).toBeDefined()
    expect(await sessions.end(secret)).toBe(true)
    expect(await sessions.end(secret)).toBe(false)
    expect(await other.verify(secret)).toBeUndefined()
    expect(await other.bearer(id)).toBeUndefined()
    expect(await other.verify(second)).toBeDefined()
  })

  test('a person has a limited number of sessions: the oldest end, and nobody else loses one', async () => {
    const { secret: others } = await sessions.start(BOB)
    const made = []
    for (let i = 0; i <= MAX_SESSIONS; i++) {
      now += SECOND
      made.push(await sessions.start(ADA))
    }
    const good = await Promise.all(made.map(({ secret }) => sessions.verify(secret)))
    expect(good.map((principal) => principal !== undefined)).toEqual([
      false,
      ...Array.from({ length: MAX_SESSIONS }, () => true),
    ])
    expect(await sessions.verify(others)).toBeDefined()
  })

  test('ended sessions are removed when a new one starts', async () => {
    for (let i = 0; i < 5; i++) await sessions.start(ADA)
    now += TIMES.idleSeconds * SECOND
    await sessions.start(BOB)
    expect(await bed.database.ask('SELECT id FROM sessions')).toHaveLength(1)
  })

  test('too many claims start no session and record nobody', async () => {
    const claims = { groups: ['x'.repeat(33_000)] }
    await expect(sessions.start({ ...ADA, claims })).rejects.toMatchObject({ code: 'too_large' })
    expect(await bed.database.ask('SELECT user_name FROM people')).toEqual([])
  })

  test('what is not the secret belongs to nobody and never throws', async () => {
    const { id, secret } = await sessions.start(ADA)
    const odd = ['', '_', id, `cms_${id}_`, secret.slice(4), `cmp${secret.slice(3)}`, `${secret}\n`]
    for (const text of odd) expect(await sessions.verify(text)).toBeUndefined()
    for (let at = 0; at < secret.length; at++) {
      const changed = secret[at] === 'a' ? 'b' : 'a'
      const text = secret.slice(0, at) + changed + secret.slice(at + 1)
      expect(await sessions.verify(text)).toBeUndefined()
    }
    const anyText = fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      expect(await sessions.verify(`cms_${id}_${text}`)).toBeUndefined()
      expect(await sessions.end(`cms_${id}_${text}`)).toBe(false)
    })
    await fc.assert(anyText, { seed: 5, numRuns: 200 })
    expect(await sessions.verify(secret)).toBeDefined()
  })
}
