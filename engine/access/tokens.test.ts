import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openState, statePath } from '../store/state.ts'
import { TokenStore } from './tokens.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-01-01T00:00:00.000Z')

let now: number
let state: DatabaseSync
let tokens: TokenStore
const clock = () => new Date(now)
beforeEach(() => {
  now = START
  state = openState(':memory:')
  tokens = new TokenStore(state, clock)
})

function temporaryState(): string {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-tokens-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return statePath(folder)
}

test('a secret is its id and 43 random characters, and no two are alike', () => {
  const made = Array.from({ length: 50 }, () => tokens.create({ user: 'ada' }))
  for (const { id, secret } of made) {
    expect(secret).toMatch(/^[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/)
    expect(secret.startsWith(`${id}_`)).toBe(true)
  }
  expect(new Set(made.map(({ secret }) => secret.split('_', 1)[0])).size).toBe(50)
  expect(new Set(made.map(({ secret }) => secret.slice(17))).size).toBe(50)
})

test('a good secret tells who it belongs to and what the user may see', () => {
  const { secret } = tokens.create({ user: 'ada', projects: ['P-1', 'P-2:create,read', 'P-2'] })
  expect(tokens.verify(secret)).toEqual({
    user: 'ada',
    admin: false,
    projects: new Map([
      ['P-1', ['download', 'read']],
      ['P-2', ['create', 'download', 'read']],
    ]),
  })
})

test('rights belong to the user: tokens are equal, and only what is given is set', () => {
  const { secret: first } = tokens.create({ user: 'ada', projects: ['P-1'], admin: true })
  const { secret: second } = tokens.create({ user: 'ada' })
  const { secret: other } = tokens.create({ user: 'bob' })
  expect(tokens.verify(second)).toEqual(tokens.verify(first))
  expect(tokens.verify(other)).toEqual({ user: 'bob', admin: false, projects: new Map() })

  tokens.create({ user: 'ada', projects: ['P-2'] })
  expect(tokens.verify(first)).toMatchObject({ admin: true })
  expect([...(tokens.verify(first)?.projects.keys() ?? [])]).toEqual(['P-2'])

  tokens.create({ user: 'ada', admin: false })
  expect(tokens.verify(first)).toMatchObject({ admin: false })
  expect(tokens.verify(first)?.projects.size).toBe(1)

  tokens.create({ user: 'ada', projects: [] })
  expect(tokens.verify(first)?.projects.size).toBe(0)
})

test('a token ends when its days are over, 30 when nothing is said', () => {
  const { secret } = tokens.create({ user: 'ada' })
  const { secret: short } = tokens.create({ user: 'ada', expiresDays: 1 })
  now = START + DAY_MS - 1
  expect(tokens.verify(short)).toBeDefined()
  now = START + DAY_MS
  expect(tokens.verify(short)).toBeUndefined()
  now = START + 30 * DAY_MS - 1
  expect(tokens.verify(secret)).toBeDefined()
  now = START + 30 * DAY_MS
  expect(tokens.verify(secret)).toBeUndefined()
})

test('a revoked token ends at once, keeps its first time, and leaves the others', () => {
  const { id, secret } = tokens.create({ user: 'ada' })
  const { secret: other } = tokens.create({ user: 'ada' })
  now += 1000
  tokens.revoke(id)
  now += 1000
  tokens.revoke(id)
  expect(tokens.verify(secret)).toBeUndefined()
  expect(tokens.verify(other)).toBeDefined()
  expect(tokens.list().find((token) => token.id === id)?.revokedAt).toBe('2026-01-01T00:00:01.000Z')
})

test('revoking what is no token is not_found, and a secret given by mistake is not repeated', () => {
  const { secret } = tokens.create({ user: 'ada' })
  expect(() => tokens.revoke('0123456789abcdef')).toThrow('no token has id 0123456789abcdef')
  expect(() => tokens.revoke(secret)).toThrow(
    expect.objectContaining({
      code: 'not_found',
      message: expect.not.stringContaining(secret.slice(17)),
    }),
  )
  expect(tokens.verify(secret)).toBeDefined()
})

test('a revocation and new rights by one connection are seen by another at once', () => {
  const path = temporaryState()
  const here = openState(path)
  const there = openState(path)
  const mine = new TokenStore(here, clock)
  const theirs = new TokenStore(there, clock)
  const { id, secret } = mine.create({ user: 'ada', projects: ['P-1'] })
  expect(theirs.verify(secret)?.projects.has('P-1')).toBe(true)
  mine.create({ user: 'ada', projects: ['P-2'] })
  expect(theirs.verify(secret)?.projects.has('P-1')).toBe(false)
  theirs.revoke(id)
  expect(mine.verify(secret)).toBeUndefined()
  here.close()
  there.close()
})

test('no file of the database ever holds a secret', () => {
  const path = temporaryState()
  const disk = openState(path)
  const store = new TokenStore(disk, clock)
  const { id, secret } = store.create({ user: 'ada', projects: ['P-1'] })
  store.verify(secret)
  const bytes = () =>
    Buffer.concat(readdirSync(join(path, '..')).map((name) => readFileSync(join(path, '..', name))))
  const whileOpen = bytes()
  disk.close()
  for (const written of [whileOpen, bytes()]) {
    // The id is there, so that the bytes looked at are those of the token.
    expect(written.includes(id)).toBe(true)
    expect(written.includes(secret)).toBe(false)
    expect(written.includes(secret.slice(17))).toBe(false)
    expect(written.includes(Buffer.from(secret.slice(17), 'base64url'))).toBe(false)
  }
})

test('the list tells everything but secrets, oldest first', () => {
  const { id: first } = tokens.create({ user: 'ada', projects: ['P-1', 'P-2:read'], admin: true })
  now += 1000
  const { id: second } = tokens.create({ user: 'bob', expiresDays: 2 })
  tokens.revoke(second)
  expect(tokens.list()).toEqual([
    {
      id: first,
      user: 'ada',
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2026-01-31T00:00:00.000Z',
      revokedAt: null,
      admin: true,
      projects: ['P-1', 'P-2:read'],
    },
    {
      id: second,
      user: 'bob',
      createdAt: '2026-01-01T00:00:01.000Z',
      expiresAt: '2026-01-03T00:00:01.000Z',
      revokedAt: '2026-01-01T00:00:01.000Z',
      admin: false,
      projects: [],
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
])('an impossible %s makes no token (%#)', (at, options) => {
  expect(() => tokens.create(options)).toThrow(expect.objectContaining({ code: 'bad_input', at }))
  expect(tokens.list()).toEqual([])
})

test('what is not the secret, by one character or entirely, belongs to nobody and never throws', () => {
  const { id, secret } = tokens.create({ user: 'ada' })
  const odd = [
    ...['', '_', id, `${id}_`, ` ${secret}`, `${secret}\n`, `${secret}=`, secret.toUpperCase()],
    ...[secret.slice(0, -1), `${secret}a`, 'tökén', '\ud800', '\u0000', 'x'.repeat(10_000_000)],
    ...[`${'0'.repeat(16)}${secret.slice(16)}`, `${id}_${'A'.repeat(43)}`, "' OR 1=1 --"],
  ]
  for (const text of odd) expect(tokens.verify(text)).toBeUndefined()
  for (const value of [undefined, null, 7, {}, [secret]]) {
    expect(tokens.verify(value as unknown as string)).toBeUndefined()
  }
  for (let at = 0; at < secret.length; at++) {
    const changed = secret[at] === 'a' ? 'b' : 'a'
    expect(tokens.verify(secret.slice(0, at) + changed + secret.slice(at + 1))).toBeUndefined()
  }
  const anyText = fc.property(fc.string({ unit: 'binary' }), (text) => {
    expect(tokens.verify(text)).toBeUndefined()
    expect(tokens.verify(`${id}_${text}`)).toBeUndefined()
  })
  fc.assert(anyText, { seed: 3, numRuns: 500 })
  expect(tokens.verify(secret)).toBeDefined()
})
