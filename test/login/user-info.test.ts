import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LoginWorld, startLoginWorld } from './support/login-world.ts'
import type { Visitor } from './support/visitor.ts'

// Log-in at a provider whose ID tokens name the person only, as oidc-provider's do by default.

const ENDPOINT = '/me'

let world: LoginWorld
beforeAll(async () => {
  world = await startLoginWorld({ hidesClaims: true })
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(() => {
  world.provider.requests.splice(0)
})

const userOf = async (visitor: Visitor) =>
  (await (await visitor.ask(`${world.address}/auth/user`)).json()) as object

test('claims that are not mapped are not asked for', async () => {
  const { visitor } = await world.logIn('ada')
  expect(world.provider.requests).not.toContain(ENDPOINT)
  expect(await userOf(visitor)).toEqual({
    username: `${world.provider.issuer}#ada`,
    projects: { gdc_ids: {}, phs_ids: {} },
  })
})

test('a mapped claim that the ID token lacks gives rights and the name from the endpoint', async () => {
  const group = { issuer: world.provider.issuer, claim: 'groups', value: 'readers' }
  await world.engine.shared.accessMap.map(group, { projects: ['P-1:read'] })
  const { visitor } = await world.logIn('ada')
  expect(world.provider.requests.filter((path) => path === ENDPOINT)).toHaveLength(1)
  expect(await userOf(visitor)).toMatchObject({
    username: 'Ada Example',
    projects: { gdc_ids: { 'P-1': ['read'] } },
  })
  const { visitor: other } = await world.logIn('bob')
  expect(await userOf(other)).toMatchObject({ projects: { gdc_ids: {} } })
})
