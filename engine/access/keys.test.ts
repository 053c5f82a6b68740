import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openState, statePath } from '../store/state.ts'
import { KeyStore } from './keys.ts'
import { hasRole, ROLES } from './roles.ts'
import { TokenStore } from './tokens.ts'

let now: number
let state: DatabaseSync
let keys: KeyStore
const clock = () => new Date(now)
beforeEach(() => {
  now = Date.parse('2026-01-01T00:00:00.000Z')
  state = openState(':memory:')
  keys = new KeyStore(state, clock)
})

function temporaryState(): string {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return statePath(folder)
}

test('a key without a role is a reader, called by its id', () => {
  const { id, secret } = keys.create()
  expect(secret).toMatch(/^[A-Za-z0-9_-]{32,}$/)
  expect(keys.verify(secret)).toEqual({ user: id, roles: new Set() })
})

test.each([
  [['RX_EDITOR'], ['RX_EDITOR']],
  [['NDC_EDITOR', 'NDC_EDITOR'], ['NDC_EDITOR']],
  [['STAGING_EDITOR'], ['STAGING_EDITOR']],
  [['STAGING_ADMIN'], ['STAGING_ADMIN', 'STAGING_EDITOR']],
  [['ADMIN'], ROLES],
])('registry.md 7.4: %j is %j', (roles, held) => {
  const { secret } = keys.create({ user: 'ada', roles })
  const caller = keys.verify(secret)
  expect(caller).toEqual({ user: 'ada', roles: new Set(roles) })
  expect(ROLES.filter((role) => caller && hasRole(caller, role))).toEqual(held)
})

test('a role that is none is refused with the list, and makes no key', () => {
  for (const role of ['admin', '', 'BOSS', 'toString']) {
    expect(() => keys.create({ roles: ['ADMIN', role] })).toThrow(
      expect.objectContaining({
        code: 'bad_input',
        message: expect.stringContaining(`${JSON.stringify(role)} is unknown; use one of ADMIN, `),
      }),
    )
  }
  expect(() => keys.create({ user: ' ' })).toThrow(expect.objectContaining({ at: 'user' }))
  expect(keys.list()).toEqual([])
})

test('a revocation by one connection is seen by another at once, and keeps its first time', () => {
  const path = temporaryState()
  const here = openState(path)
  const there = openState(path)
  const mine = new KeyStore(here, clock)
  const theirs = new KeyStore(there, clock)
  const { id, secret } = mine.create({ roles: ['RX_EDITOR'] })
  const { secret: other } = mine.create()
  expect(theirs.verify(secret)).toBeDefined()
  theirs.revoke(id)
  now += 1000
  theirs.revoke(id)
  expect(mine.verify(secret)).toBeUndefined()
  expect(mine.verify(other)).toBeDefined()
  const listed = mine.list().find((key) => key.id === id)
  expect(listed).toEqual({
    ...{ id, user: id, roles: ['RX_EDITOR'] },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', revokedAt: '2026-01-01T00:00:00.000Z' },
  })
  here.close()
  there.close()
})

test('revoking what is no key is not_found, and a secret given by mistake is not repeated', () => {
  const { secret } = keys.create()
  expect(() => keys.revoke('0123456789abcdef')).toThrow('no key has id 0123456789abcdef')
  expect(() => keys.revoke(secret)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(secret.slice(17)) }),
  )
})

test('no file of the database ever holds a secret', () => {
  const path = temporaryState()
  const disk = openState(path)
  const { id, secret } = new KeyStore(disk, clock).create()
  disk.close()
  const bytes = Buffer.concat(
    readdirSync(join(path, '..')).map((name) => readFileSync(join(path, '..', name))),
  )
  expect(bytes.includes(id)).toBe(true)
  expect(bytes.includes(secret.slice(17))).toBe(false)
})

test('what is not the secret, by one character or entirely, belongs to nobody and never throws', () => {
  const { id, secret } = keys.create({ roles: ['ADMIN'] })
  const token = new TokenStore(state, clock).create({ user: 'ada', admin: true }).secret
  const odd = [
    ...['', '_', id, `${id}_`, ` ${secret}`, `${secret}\n`, `${id}_${'A'.repeat(43)}`, 'tökén'],
    ...[token, `${'0'.repeat(16)}${secret.slice(16)}`, undefined, null, 7, [secret]],
  ]
  for (const value of odd) expect(keys.verify(value)).toBeUndefined()
  for (let at = 0; at < secret.length; at++) {
    const changed = secret[at] === 'a' ? 'b' : 'a'
    expect(keys.verify(secret.slice(0, at) + changed + secret.slice(at + 1))).toBeUndefined()
  }
  expect(keys.verify(secret)).toBeDefined()
})
