import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array, assert, asyncProperty, constantFrom, record, subarray } from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sharedState } from '../../../shared-state.ts'
import type { Database } from '../../database/database.ts'
import { AccessMap } from './access-map.ts'
import { ClaimRightsReader, type Identity } from './claim-rights.ts'

const ISSUER = 'https://login.example.org'
const VALUES = ['a', 'b', 'c', 'd'] as const
const PROJECTS = ['P-1', 'P-2:create', 'P-2:delete,read', 'P-3:admin'] as const

let folder = ''
let database: Database
let map: AccessMap
let reader: ClaimRightsReader
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-claims-'))
  database = sharedState({ dataFolder: folder })
  map = new AccessMap(database, () => new Date('2026-01-01T00:00:00Z'))
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})
beforeEach(clear)

async function clear(): Promise<void> {
  await database.write((transaction) => transaction.run('DELETE FROM access_map'))
  reader = new ClaimRightsReader(database)
}

const identity = (claims: Identity['claims'], issuer = ISSUER): Identity => ({
  issuer,
  subject: 'ada',
  tokenNames: ['token-1'],
  claims,
})
/** Rights as texts `project:role`, sorted. */
const rightsOf = async (claims: Identity['claims'], issuer = ISSUER) => {
  const { admin, projects } = (await reader.rightsOf(identity(claims, issuer)))!
  const granted = Array.from(projects, ([id, roles]) => roles.map((role) => `${id}:${role}`))
  return [...granted.flat(), ...(admin ? ['admin'] : [])].toSorted()
}

const mappings = array(
  record({ value: constantFrom(...VALUES), projects: subarray([...PROJECTS], { minLength: 1 }) }),
  { maxLength: 6 },
)

test('rights of several values are those of each, whatever their order, and no others', async () => {
  await assert(
    asyncProperty(mappings, subarray([...VALUES]), async (mapped, values) => {
      await clear()
      for (const { value, projects } of mapped) {
        await map.map({ issuer: ISSUER, claim: 'groups', value }, { projects })
      }
      const each = await Promise.all(values.map((value) => rightsOf({ groups: value })))
      const union = [...new Set(each.flat())].toSorted()
      expect(await rightsOf({ groups: values })).toEqual(union)
      expect(await rightsOf({ groups: values.toReversed(), others: VALUES })).toEqual(union)
      expect(await rightsOf({ groups: [...values, ...values, 'unknown', 7] })).toEqual(union)
      expect(await rightsOf({ others: VALUES })).toEqual([])
      expect(await rightsOf({ groups: values }, `${ISSUER}/`)).toEqual([])
    }),
    { seed: 11, numRuns: 40 },
  )
})

test('what the mapped claims give is what all claims give', async () => {
  await map.map({ issuer: ISSUER, claim: 'groups', value: 'a' }, { projects: ['P-1'] })
  await map.map({ issuer: ISSUER, claim: 'realm.roles', value: '7' }, { admin: true })
  await map.map({ issuer: ISSUER, claim: 'scope', value: 'read' }, { projects: ['P-2'] })
  const claims = { groups: ['a', 'x'], realm: { roles: [7] }, scope: 'openid read', email: 'a@b.c' }
  const kept = await reader.mappedClaims(identity(claims))
  expect(kept).toEqual({ groups: ['a', 'x'], 'realm.roles': ['7'], scope: ['openid', 'read'] })
  expect(await rightsOf(kept)).toEqual(await rightsOf(claims))
  expect(await rightsOf(kept)).toHaveLength(5)
})

test('an edit while the map is being read is not missed', async () => {
  const claims = { groups: 'a' }
  for (let i = 0; i < 20; i++) {
    const of = { issuer: ISSUER, claim: 'groups', value: 'a' }
    const reading = Promise.all(Array.from({ length: 5 }, () => rightsOf({ ...claims })))
    await map.map(of, { projects: [`P-${i}:read`] })
    expect(await rightsOf(claims)).toContain(`P-${i}:read`)
    await reading
  }
})
