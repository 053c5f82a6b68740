import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LoginWorld, sessionOf, startLoginWorld } from './support/login-world.ts'
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
  world.provider.forgedUserInfo = undefined
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

const json =
  (body: unknown, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }
const READER = { groups: ['readers'] }

test.each<readonly [string, (response: ServerResponse) => void]>([
  ['of another person', json({ sub: 'bob', ...READER })],
  ['of nobody', json(READER)],
  ['of a person whose name is a list', json({ sub: ['ada'], ...READER })],
  ['that are a list', json([{ sub: 'ada', ...READER }])],
  ['of more than 1 MiB', json({ sub: 'ada', ...READER, more: 'x'.repeat(1 << 20) })],
  ['with status 500', json({ sub: 'ada', ...READER }, 500)],
  [
    'behind a redirect',
    (response) => response.writeHead(302, { Location: `${world.provider.issuer}/me?again` }).end(),
  ],
  ['that never come', () => {}],
  [
    'whose end never comes',
    (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"sub":"ada",')
    },
  ],
])('claims %s log nobody in', async (_, answer) => {
  world.provider.forgedUserInfo = answer
  const { visitor } = await world.logIn('ada')
  expect(world.provider.requests).toContain(ENDPOINT)
  expect(sessionOf(visitor, world.address)).toBeUndefined()
})

test('claims that the provider refuses to a known person take earlier rights away', async () => {
  const { visitor: earlier } = await world.logIn('ada')
  const readers = { projects: { gdc_ids: { 'P-1': ['read'] } } }
  expect(await userOf(earlier)).toMatchObject(readers)
  for (const answer of [
    json({ sub: 'ada' }),
    json({ error: 'invalid_token' }, 401),
    json({ sub: 'ada', ...READER }, 403),
    (response: ServerResponse) => {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer error="invalid_token"' }).end()
    },
    json({ sub: 'ada', groups: { readers: true } }),
    json({ sub: 'ada', groups: null, __proto__: READER }),
  ]) {
    world.provider.forgedUserInfo = answer
    const { visitor } = await world.logIn('ada')
    expect(await userOf(visitor)).toMatchObject({ projects: { gdc_ids: {} } })
    expect(await userOf(earlier)).toMatchObject({ projects: { gdc_ids: {} } })
    world.provider.forgedUserInfo = undefined
    await world.logIn('ada')
    expect(await userOf(earlier)).toMatchObject(readers)
  }
})
