import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LoginWorld, OWN_PAGE, sessionOf, startLoginWorld } from './support/login-world.ts'
import { Visitor } from './support/visitor.ts'

// Log-in at a real provider of OpenID Connect, from the first link to the end of the session.

let world: LoginWorld
beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())
beforeEach(() => {
  world.provider.mood = 'well'
})

const at = (path: string) => `${world.address}${path}`
const userOf = async (visitor: Visitor) => {
  const response = await visitor.ask(at('/auth/user'))
  return response.status === 200 ? ((await response.json()) as object) : response.status
}

test('a person logs in, is known, and comes back to the page they came from', async () => {
  const { visitor, next } = await world.logIn('ada', '/cases?size=1#a')
  expect(next).toBe('/cases?size=1#a')
  expect(await userOf(visitor)).toEqual({
    username: 'Ada Example',
    projects: { gdc_ids: {}, phs_ids: {} },
  })
  expect(await userOf(new Visitor())).toBe(401)
  expect(sessionOf(visitor, world.address)).toMatch(/^cms_[0-9a-f]{16}_[\w-]{43}$/)
  // The cookie of the log-in is gone.
  expect([...visitor.cookies(world.address).keys()]).toEqual(['sessionid'])
})

test('the session cookie is for this host alone, and no script can read it', async () => {
  const visitor = new Visitor()
  const form = await visitor.follow(at('/auth/login'))
  const back = await visitor.logIn(form.at, 'ada', (to) => to.startsWith(world.address))
  const done = await visitor.ask(back.next!)
  const cookie = done.headers.getSetCookie().find((one) => one.startsWith('sessionid='))
  expect(cookie).toMatch(
    /^sessionid=cms_\w{16}_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/,
  )
  expect(done.headers.get('cache-control')).toBe('no-store')
})

test('the rights are those that the map of the operator gives to the claims', async () => {
  const { visitor } = await world.logIn('ada')
  const group = { issuer: world.provider.issuer, claim: 'groups', value: 'readers' }
  await world.engine.shared.accessMap.map(group, { projects: ['P-1:read,create'] })
  const { visitor: other } = await world.logIn('bob')
  const projects = { gdc_ids: { 'P-1': ['read', 'create'] } }
  expect(await userOf(visitor)).toMatchObject({ projects })
  expect(await userOf(other)).toMatchObject({ projects: { gdc_ids: {} } })
})

test('the portal’s window shows the way to the institution, and comes back to the portal', async () => {
  const visitor = new Visitor()
  const portal = at('/v2/repository?page=2')
  const window = await visitor.ask(at(`/auth?next=${encodeURIComponent(portal)}`))
  const link = /href="(\/auth\/login\?next=[^"]+)"/.exec(await window.text())?.[1] ?? ''
  const form = await visitor.follow(at(link))
  // The portal closes the window once its address is of this host and without "auth".
  const isPortal = (to: string) => to.startsWith(world.address) && !to.includes('auth')
  expect((await visitor.logIn(form.at, 'ada', isPortal)).next).toBe(portal)
})

test('a person who cancels at the institution is not logged in', async () => {
  const visitor = new Visitor()
  const form = await visitor.follow(at('/auth/login?next=/cases'))
  const body = new URLSearchParams({ cancelled: 'yes' })
  const end = await visitor.follow(form.at, { method: 'POST', body })
  expect(end.at).toBe(at('/auth?error=401&next=%2Fcases'))
  expect(await end.response.text()).toContain('You are not logged in')
  expect(sessionOf(visitor, world.address)).toBeUndefined()
})

test('log-out ends the session here and at the institution', async () => {
  const { visitor } = await world.logIn('ada')
  const secret = sessionOf(visitor, world.address)!
  const first = await visitor.ask(at('/auth/logout?next=/files'), { headers: OWN_PAGE })
  const away = new URL(first.headers.get('location')!)
  expect(away.href.startsWith(`${world.provider.issuer}/session/end?`)).toBe(true)
  expect(sessionOf(visitor, world.address)).toBeUndefined()
  expect(await world.engine.shared.credentials.verify(secret)).toBeUndefined()
  // The provider asks whether to log out there, too.
  const page = await (await visitor.ask(away.href)).text()
  const xsrf = /name="xsrf" value="(\w+)"/.exec(page)?.[1] ?? ''
  const body = new URLSearchParams({ xsrf, logout: 'yes' })
  const confirm = /action="([^"]+)"/.exec(page)?.[1] ?? ''
  const end = await visitor.follow(confirm, { method: 'POST', body })
  expect(end.at).toBe(at('/files'))
  // The provider does not know the browser any more: it shows its form again.
  const again = await visitor.follow(at('/auth/login'))
  expect(again.at.startsWith(`${world.provider.issuer}/interaction/`)).toBe(true)
})

test('keys that the institution has rotated are read again', async () => {
  await world.logIn('ada')
  await world.provider.rotateKeys()
  world.clock.now += 1000
  const { visitor } = await world.logIn('bob')
  expect(await userOf(visitor)).toMatchObject({ username: 'Bob Example' })
})

test('the portal gets a token of the person that can only read, and the former one ends', async () => {
  const { visitor } = await world.logIn('ada')
  const refresh = async () =>
    (await visitor.ask(at('/auth/token/refresh'), { headers: OWN_PAGE })).text()
  const first = await refresh()
  expect(first).toMatch(/^cmp_[0-9a-f]{16}_[\w-]{43}$/)
  const userWith = (token: string) =>
    fetch(at('/auth/user'), { headers: { 'X-Auth-Token': token } })
  expect((await userWith(first)).status).toBe(200)
  const second = await refresh()
  expect((await userWith(first)).status).toBe(401)
  const user = await (await userWith(second)).json()
  expect(user).toMatchObject({ projects: { gdc_ids: { 'P-1': ['read'] } } })
})

test('no secret of a log-in is in the log', async () => {
  const { visitor } = await world.logIn('ada')
  const log = world.lines.join('\n')
  expect(log).toContain('/auth/login/callback')
  const session = sessionOf(visitor, world.address)!
  expect(log).not.toContain(session.slice(21))
  expect(log).not.toMatch(/code=|state=|id_token|eyJ/)
})
