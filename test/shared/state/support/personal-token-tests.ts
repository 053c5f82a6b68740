import { beforeEach, expect, test } from 'vitest'
import type { PersonRights } from '../../../../engine/shared/access/people.ts'
import {
  MAX_PERSONAL_TOKENS,
  PersonalTokenStore,
} from '../../../../engine/shared/access/personal-tokens.ts'
import { SessionStore } from '../../../../engine/shared/access/sessions.ts'
import type { StateBed } from './state-bed.ts'

const DAY = 86_400_000
const START = Date.parse('2026-01-01T00:00:00.000Z')
const ADA = { issuer: 'https://id.example.org', subject: '1', claims: { groups: ['P-1', 'P-2'] } }
const BOB = { ...ADA, subject: '2', claims: { groups: ['P-3'] } }

const rights: PersonRights = {
  async rightsOf({ claims }) {
    if (claims.locked === true) return undefined
    const groups = claims.groups as readonly string[]
    const projects = new Map(groups.map((id) => [id, ['create', 'read']]))
    return { admin: claims.admin === true, projects, registry: undefined, purposes: [] }
  },
}

/** Tests of the tokens that people make themselves, wherever they are stored. */
export function personalTokenTests(bed: StateBed): void {
  let now: number
  let tokens: PersonalTokenStore
  let sessions: SessionStore
  let ada: string
  let bob: string
  const clock = () => new Date(now)
  const storeOf = (database = bed.database) => new PersonalTokenStore({ database, clock, rights })
  beforeEach(async () => {
    now = START
    tokens = storeOf()
    const times = { idleSeconds: 3600, absoluteSeconds: 7200 }
    sessions = new SessionStore({ database: bed.database, clock, times, rights })
    ada = (await sessions.start(ADA)).user
    bob = (await sessions.start(BOB)).user
  })
  const projectsOf = async (secret: string) => (await tokens.verify(secret))?.projects

  test('a token has the rights of its owner at the time, and no more than its scope', async () => {
    const all = await tokens.create(ada, { name: 'all', readOnly: false })
    const read = await tokens.create(ada, { name: 'read', readOnly: true })
    const one = await tokens.create(ada, { name: 'one', readOnly: false, projects: ['P-2', 'P-3'] })
    const both = ['create', 'read']
    expect(await projectsOf(all.secret)).toEqual(
      new Map([
        ['P-1', both],
        ['P-2', both],
      ]),
    )
    expect(await projectsOf(read.secret)).toEqual(
      new Map([
        ['P-1', ['read']],
        ['P-2', ['read']],
      ]),
    )
    // The owner has no right in P-3, so neither has the token.
    expect(await projectsOf(one.secret)).toEqual(new Map([['P-2', both]]))
    await sessions.start({ ...ADA, claims: { groups: ['P-2'] } })
    expect(await projectsOf(all.secret)).toEqual(new Map([['P-2', both]]))
    await sessions.start({ ...ADA, claims: { groups: [], locked: true } })
    expect(await tokens.verify(all.secret)).toBeUndefined()
  })

  test('a token of an administrator that only reads, or is for projects, is not an administrator', async () => {
    await sessions.start({ ...ADA, claims: { groups: ['P-1'], admin: true } })
    const all = await tokens.create(ada, { name: 'all', readOnly: false })
    const read = await tokens.create(ada, { name: 'read', readOnly: true })
    const one = await tokens.create(ada, { name: 'one', readOnly: true, projects: ['P-9'] })
    expect(await tokens.verify(all.secret)).toMatchObject({ admin: true })
    expect(await tokens.verify(read.secret)).toMatchObject({ admin: false })
    expect(await tokens.verify(one.secret)).toMatchObject({
      admin: false,
      projects: new Map([['P-9', ['download', 'read']]]),
    })
  })

  test('a token ends when its days are over, 30 when nothing is said', async () => {
    const usual = await tokens.create(ada, { name: 'usual', readOnly: true })
    const long = await tokens.create(ada, { name: 'long', readOnly: true, days: 365 })
    now = START + 30 * DAY - 1
    expect(await tokens.verify(usual.secret)).toBeDefined()
    now += 1
    expect(await tokens.verify(usual.secret)).toBeUndefined()
    expect((await tokens.list(ada)).map(({ name }) => name)).toEqual(['long'])
    now = START + 365 * DAY
    expect(await tokens.verify(long.secret)).toBeUndefined()
  })

  test('a token is listed and revoked by its owner alone, for all servers', async () => {
    const others = storeOf(bed.another())
    const made = await tokens.create(ada, { name: 'mine', readOnly: true, projects: ['P-1'] })
    const { secret, ...listed } = made
    expect(await tokens.list(ada)).toEqual([listed])
    expect(await tokens.list(bob)).toEqual([])
    await expect(tokens.revoke(bob, made.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await others.verify(secret)).toBeDefined()
    await tokens.revoke(ada, made.id)
    expect(await others.verify(secret)).toBeUndefined()
    await expect(tokens.revoke(ada, made.id)).rejects.toMatchObject({ code: 'not_found' })
    const error = await tokens.revoke(ada, secret).catch(String)
    expect(error).not.toContain(secret.slice(21))
  })

  test('a token that replaces others of its name ends them, and no others', async () => {
    const first = await tokens.create(ada, { name: 'portal', readOnly: true })
    const other = await tokens.create(ada, { name: 'other', readOnly: true })
    const bobs = await tokens.create(bob, { name: 'portal', readOnly: true })
    const second = await tokens.create(ada, { name: 'portal', readOnly: true, replaces: true })
    expect(await tokens.verify(first.secret)).toBeUndefined()
    for (const { secret } of [other, bobs, second]) {
      expect(await tokens.verify(secret)).toBeDefined()
    }
  })

  test('a person has a limited number of tokens, in which expired ones do not count', async () => {
    for (let i = 0; i < MAX_PERSONAL_TOKENS; i++) {
      await tokens.create(ada, { name: `token ${i}`, readOnly: true, days: 1 })
    }
    const one = { name: 'one more', readOnly: true }
    await expect(tokens.create(ada, one)).rejects.toMatchObject({ code: 'conflict' })
    await tokens.create(bob, one)
    now += DAY
    await tokens.create(ada, one)
    expect(await tokens.list(ada)).toHaveLength(1)
  })

  test.each([
    ['name', { name: '' }],
    ['name', { name: ' a' }],
    ['name', { name: 'a\tb' }],
    ['name', { name: 'x'.repeat(65) }],
    ['days', { days: 0 }],
    ['days', { days: 366 }],
    ['days', { days: 1.5 }],
    ['projects', { projects: [] }],
    ['projects', { projects: ['a b'] }],
    ['projects', { projects: Array.from({ length: 101 }, (_, i) => `P-${i}`) }],
  ])('an impossible %s makes no token (%#)', async (at, wrong) => {
    const made = tokens.create(ada, { name: 'one', readOnly: true, ...wrong })
    await expect(made).rejects.toMatchObject({ code: 'bad_input', at })
    expect(await tokens.list(ada)).toEqual([])
  })
}
