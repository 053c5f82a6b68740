import { beforeEach, expect, test } from 'vitest'
import { KeyStore } from '../../../../engine/shared/access/keys.ts'
import { hasRole, ROLES } from '../../../../engine/shared/access/roles.ts'
import { TokenStore } from '../../../../engine/shared/access/tokens.ts'
import type { StateBed } from './state-bed.ts'

/** Tests of the registry's keys, wherever they are stored. */
export function keyTests(bed: StateBed): void {
  let now: number
  let keys: KeyStore
  const clock = () => new Date(now)
  beforeEach(() => {
    now = Date.parse('2026-01-01T00:00:00.000Z')
    keys = new KeyStore(bed.database, clock)
  })

  test('a key without a role is a reader, called by its id', async () => {
    const { id, secret } = await keys.create()
    expect(secret).toMatch(/^[A-Za-z0-9_-]{32,}$/)
    expect(await keys.verify(secret)).toEqual({ user: id, roles: new Set() })
  })

  test.each([
    [['RX_EDITOR'], ['RX_EDITOR']],
    [['NDC_EDITOR', 'NDC_EDITOR'], ['NDC_EDITOR']],
    [['STAGING_EDITOR'], ['STAGING_EDITOR']],
    [['STAGING_ADMIN'], ['STAGING_ADMIN', 'STAGING_EDITOR']],
    [['ADMIN'], ROLES],
  ])('registry.md 7.4: %j is %j', async (roles, held) => {
    const { secret } = await keys.create({ user: 'ada', roles })
    const caller = await keys.verify(secret)
    expect(caller).toEqual({ user: 'ada', roles: new Set(roles) })
    expect(ROLES.filter((role) => caller && hasRole(caller, role))).toEqual(held)
  })

  test('a role that is none is refused with the list, and makes no key', async () => {
    for (const role of ['admin', '', 'BOSS', 'toString']) {
      await expect(keys.create({ roles: ['ADMIN', role] })).rejects.toThrow(
        expect.objectContaining({
          code: 'bad_input',
          message: expect.stringContaining(
            `${JSON.stringify(role)} is unknown; use one of ADMIN, `,
          ),
        }),
      )
    }
    await expect(keys.create({ user: ' ' })).rejects.toThrow(
      expect.objectContaining({ at: 'user' }),
    )
    expect(await keys.list()).toEqual([])
  })

  test('a revocation by one connection is seen by another at once, and keeps its first time', async () => {
    const mine = new KeyStore(bed.another(), clock)
    const theirs = new KeyStore(bed.another(), clock)
    const { id, secret } = await mine.create({ roles: ['RX_EDITOR'] })
    const { secret: other } = await mine.create()
    expect(await theirs.verify(secret)).toBeDefined()
    await theirs.revoke(id)
    now += 1000
    await theirs.revoke(id)
    expect(await mine.verify(secret)).toBeUndefined()
    expect(await mine.verify(other)).toBeDefined()
    const listed = (await mine.list()).find((key) => key.id === id)
    expect(listed).toEqual({
      id,
      user: id,
      roles: ['RX_EDITOR'],
      createdAt: '2026-01-01T00:00:00.000Z',
      revokedAt: '2026-01-01T00:00:00.000Z',
    })
  })

  test('revoking what is no key is not_found, and a secret given by mistake is not repeated', async () => {
    const { secret } = await keys.create()
    await expect(keys.revoke('0123456789abcdef')).rejects.toThrow('no key has id 0123456789abcdef')
    await expect(keys.revoke(secret)).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(secret.slice(17)) }),
    )
  })

  test('what is not the secret, by one character or entirely, belongs to nobody and never throws', async () => {
    const { id, secret } = await keys.create({ roles: ['ADMIN'] })
    const tokens = new TokenStore(bed.database, clock)
    const token = (await tokens.create({ user: 'ada', admin: true })).secret
    const odd = [
      ...['', '_', id, `${id}_`, ` ${secret}`, `${secret}\n`, `${id}_${'A'.repeat(43)}`, 'tökén'],
      ...[token, `${'0'.repeat(16)}${secret.slice(16)}`, undefined, null, 7, [secret]],
    ]
    for (const value of odd) expect(await keys.verify(value)).toBeUndefined()
    for (let at = 0; at < secret.length; at++) {
      const changed = secret[at] === 'a' ? 'b' : 'a'
      expect(
        await keys.verify(secret.slice(0, at) + changed + secret.slice(at + 1)),
      ).toBeUndefined()
    }
    expect(await keys.verify(secret)).toBeDefined()
  })
}
