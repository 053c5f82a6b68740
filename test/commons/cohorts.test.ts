import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoredCohort } from '../../engine/commons/index.ts'
import { Jar } from './graphql/support/jar.ts'
import { MadePortal } from './graphql/support/made-portal.ts'

// Cohorts, log-in and tiles with the portal's requests (docs/reference/sets.md).

let portal: MadePortal
let clock = new Date('2026-01-05T10:00:00Z')

beforeAll(async () => {
  portal = await MadePortal.open(() => clock)
})
afterAll(() => portal[Symbol.asyncDispose]())

const BRAIN = {
  name: 'Brain',
  filters: {
    op: 'and',
    content: [{ op: 'in', content: { field: 'cases.primary_site', value: ['brain'] } }],
  },
  type: 'dynamic',
}
const TAKEN = 'Bad Request: Name must be unique (case-insensitive)'

test('the life of a cohort, in one browser and seen from another', async () => {
  const jar = new Jar(portal)
  const empty = await jar.ask('/auth/api/v0/cohorts?include_case_ids=true')
  expect([empty.status, empty.body]).toEqual([200, []])
  expect(jar.last).toMatch(
    /^gdc_context_id=[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000$/,
  )
  const made = await jar.save('/cohorts?delete_existing=false', BRAIN)
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    ...BRAIN,
    created_datetime: '2026-01-05T10:00:00.000Z',
    modified_datetime: '2026-01-05T10:00:00.000Z',
  })
  expect(JSON.stringify(made.body.filters)).toBe(JSON.stringify(BRAIN.filters))
  expect(made.body.data_release.id).toBe(portal.engine.commons.releaseFacts()?.dataRelease)

  const taken = await jar.save('/cohorts?delete_existing=false', { ...BRAIN, name: ' bRAIN ' })
  expect([taken.status, taken.text]).toEqual([
    400,
    JSON.stringify({ error: TAKEN, message: TAKEN }),
  ])
  clock = new Date('2026-01-05T11:00:00Z')
  const again = await jar.save('/cohorts?delete_existing=true', { ...BRAIN, name: 'brain' })
  expect(again.status).toBe(201)
  expect(again.body.id).not.toBe(made.body.id)
  expect((await jar.ask('/cohorts')).body.map(({ id }: { id: string }) => id)).toEqual([
    again.body.id,
  ])

  const path = `/cohorts/${again.body.id}`
  clock = new Date('2026-01-05T12:00:00Z')
  const changed = await jar.save(path, { ...BRAIN, name: 'Other', filters: {} }, 'PUT')
  expect(changed.body).toMatchObject({
    id: again.body.id,
    name: 'Other',
    filters: {},
    created_datetime: '2026-01-05T11:00:00.000Z',
    modified_datetime: '2026-01-05T12:00:00.000Z',
  })
  await jar.save('/cohorts', { ...BRAIN, name: 'Third' })
  expect((await jar.save(path, { ...BRAIN, name: 'third' }, 'PUT')).body.message).toBe(TAKEN)

  const stranger = new Jar(portal)
  expect((await stranger.ask('/cohorts')).body).toEqual([])
  expect((await stranger.ask(path)).status).toBe(404)
  expect((await stranger.save(path, BRAIN, 'PUT')).status).toBe(404)
  expect((await stranger.ask(path, { method: 'DELETE' })).status).toBe(404)
  expect((await portal.request(path)).status).toBe(404)

  expect((await jar.ask(path)).body.name).toBe('Other')
  expect((await jar.ask(path, { method: 'DELETE' })).status).toBe(204)
  expect((await jar.ask(path, { method: 'DELETE' })).status).toBe(404)
})

test('filters that are none and names that are none are refused, and nothing is kept', async () => {
  const jar = new Jar(portal)
  await jar.ask('/cohorts')
  const bad = { op: 'in', content: { field: 'cases.nonsense', value: ['x'] } }
  expect((await jar.save('/cohorts', { ...BRAIN, filters: bad })).status).toBe(400)
  for (const name of ['', ' ', 7, null, 'x'.repeat(256)]) {
    expect((await jar.save('/cohorts', { ...BRAIN, name })).status).toBe(400)
  }
  expect((await jar.save('/cohorts', [])).status).toBe(400)
  expect((await jar.ask('/cohorts', { method: 'POST', body: '{' })).status).toBe(400)
  expect((await jar.ask('/cohorts')).body).toEqual([])
})

test('a page of another site neither saves a cohort nor gives a browser another cookie', async () => {
  const jar = new Jar(portal)
  const made = await jar.save('/cohorts', BRAIN)
  const path = `/cohorts/${made.body.id}`
  for (const headers of [
    { Origin: 'https://elsewhere.example' },
    { Origin: 'null' },
    { Origin: 'https://localhost', 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ]) {
    // A browser sends no cookie with a form of that page, but sends it with a script of a neighbouring site.
    for (const browser of [new Jar(portal), jar]) {
      const body = JSON.stringify({ ...BRAIN, name: 'theirs' })
      const form = { ...headers, 'Content-Type': 'text/plain' }
      const answer = await browser.ask('/cohorts', { method: 'POST', headers: form, body })
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null])
    }
    expect((await jar.ask(path, { method: 'DELETE', headers })).status).toBe(403)
    expect((await jar.ask(path, { method: 'PUT', headers, body: '{}' })).status).toBe(403)
  }
  expect((await jar.ask('/cohorts')).body).toEqual([made.body])
  const own = { Origin: 'http://portal.example', 'Sec-Fetch-Site': 'same-origin' }
  expect((await jar.ask(path, { method: 'DELETE', headers: own })).status).toBe(204)
})

test('the cohorts of a browser fit in one answer, and those of an address have a limit', async () => {
  // docs/reference/limits.md permits 8 MiB per browser and 64 MiB per address.
  const [mine, yours] = [{ client: 'crowded' }, { client: 'other' }]
  const filters = { op: 'in', content: { field: 'cases.case_id', value: ['x'.repeat(4_100_000)] } }
  const save = (owner: { context: string; client: string }, name: string) =>
    portal.engine.commons.cohorts.create(owner, { name, filters })
  const context = portal.engine.commons.cohorts.newContext()
  const first = await save({ context, ...mine }, 'a')
  await save({ context, ...mine }, 'b')
  const refused = { code: 'too_many', message: expect.stringContaining('of this browser') }
  await expect(save({ context, ...mine }, 'c')).rejects.toMatchObject(refused)
  const small = await portal.engine.commons.cohorts.create(
    { context, ...mine },
    { name: 'c', filters: {} },
  )
  const larger = portal.engine.commons.cohorts.replace({ context, ...mine }, small.id, {
    name: 'c',
    filters,
  })
  await expect(larger).rejects.toMatchObject(refused)
  await portal.engine.commons.cohorts.replace({ context, ...mine }, first.id, {
    name: 'a',
    filters,
  })
  const list: StoredCohort[] = []
  for await (const some of portal.engine.commons.cohorts.list({ context })) list.push(...some)
  expect(list.map(({ name, filters: text }) => [name, text.length > 4_000_000])).toEqual([
    ['a', true],
    ['b', true],
    ['c', false],
  ])
  for (let i = 0; i < 14; i++) {
    await save({ context: portal.engine.commons.cohorts.newContext(), ...mine }, `${i}`)
  }
  const another = portal.engine.commons.cohorts.newContext()
  await expect(save({ context: another, ...mine }, 'd')).rejects.toMatchObject({
    code: 'too_many',
    message: expect.stringContaining('of this address'),
  })
  await save({ context: another, ...yours }, 'd')
})

test('names of sets that are none do not make a name of a cohort one that is taken', async () => {
  const jar = new Jar(portal)
  const value = ['b', 'c', '\0'].map((end) => `set_id:${'a'.repeat(64)}${end}`)
  const filters = { op: 'in', content: { field: 'cases.case_id', value } }
  const made = await jar.save('/cohorts', { name: 'unknown sets', filters })
  expect([made.status, made.body.filters]).toEqual([201, filters])
})

test('a set that a cohort names is kept as long as the cohort', async () => {
  const jar = new Jar(portal)
  await jar.ask('/cohorts')
  const set = await jar.save('/sets', { type: 'case', size: 2, set_type: 'frozen' })
  const id = set.body.data.set_id
  const filters = {
    op: 'and',
    content: [{ op: 'in', content: { field: 'cases.case_id', value: [`set_id:${id}`] } }],
  }
  const { body } = await jar.save('/cohorts', { name: 'picked', filters, type: 'dynamic' })
  expect(body.filters).toEqual(filters)
  const before = clock
  clock = new Date(before.getTime() + 200 * 86_400_000)
  await jar.save('/sets', { type: 'case', size: 1 })
  const counted = await jar.save('/cases', { filters, size: 0 })
  expect(counted.body.data.pagination.total).toBe(2)
  await jar.ask(`/cohorts/${body.id}`, { method: 'DELETE' })
  clock = new Date(before.getTime() + 400 * 86_400_000)
  expect((await jar.ask(`/sets/${id}`)).status).toBe(404)
  clock = before
})

test('a browser logs in by a token, and out', async () => {
  const { secret } = await portal.engine.submission.tokens.create({
    user: 'demo',
    projects: ['DEMO-BRAIN:read'],
    expiresDays: 3650,
  })
  const jar = new Jar(portal)
  const nobody = await jar.ask('/auth/user')
  expect(nobody.status).toBe(401)
  expect(nobody.text).toMatch(/^\{"error":"/)
  expect((await jar.ask('/auth/token/refresh')).status).toBe(401)
  const page = await jar.ask('/auth?next=http://localhost/cart')
  expect(page.text).toContain('value="http://localhost/cart"')
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
  const log = (token: string, next: string, headers: Readonly<Record<string, string>> = {}) =>
    jar.ask('/auth', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ token, next }).toString(),
    })
  const wrong = await log('nonsense', 'http://localhost/cart')
  expect([wrong.status, wrong.headers.get('location')]).toEqual([
    303,
    '/auth?error=401&next=%2Fcart',
  ])
  const foreign = await log(secret, '/', { Origin: 'https://elsewhere.example' })
  expect([foreign.status, foreign.headers.get('set-cookie')]).toEqual([403, null])
  const right = await log(secret, 'http://localhost/cart?a=1', { Origin: 'http://localhost' })
  expect([right.status, right.headers.get('location')]).toEqual([303, '/cart?a=1'])
  expect(jar.last).toMatch(/^sessionid=.*; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/)
  expect((await jar.ask('/auth/user')).body).toEqual({
    username: 'demo',
    projects: { gdc_ids: { 'DEMO-BRAIN': ['read'] }, phs_ids: {} },
  })
  // The address is repeated in the head of the answer, which most clients limit to 16 KiB.
  const far = await log(secret, `/cart?a=${'x'.repeat(15_000)}`)
  expect([far.status, far.headers.get('location')]).toEqual([303, '/'])
  const kept = await jar.ask('/auth/token/refresh')
  expect([kept.status, kept.text]).toEqual([200, secret])
  const out = await jar.ask('/auth/logout?next=http://localhost/')
  expect([out.status, out.headers.get('location')]).toEqual([303, '/'])
  expect((await jar.ask('/auth/user')).status).toBe(401)
})

test('nobody is sent to another host', async () => {
  for (const next of [
    'https://elsewhere.example/',
    '//elsewhere.example/x',
    'http://localhost//elsewhere.example',
    '\\\\elsewhere.example',
    'javascript:alert(1)',
    'http://localhost@elsewhere.example/',
  ]) {
    const { headers } = await new Jar(portal).ask(`/auth/logout?next=${encodeURIComponent(next)}`)
    expect(headers.get('location')).toMatch(/^\/([^/\\]|$)/)
  }
})

test('tiles are refused in words', async () => {
  for (const path of ['/tile/metadata/x', '/tile/x?level=7&x=0&y=0']) {
    const { status, body } = await new Jar(portal).ask(path)
    expect([status, body.message]).toEqual([404, expect.stringContaining('not cut into tiles')])
  }
})
