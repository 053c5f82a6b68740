import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROLES, type Role } from '../../engine/index.ts'
import type { Endpoint } from '../../server/http/endpoint.ts'
import { stagingEndpoints } from '../../server/registry/staging.ts'
import { CASE, SCHEMA, SPARE_TABLE, TABLES } from './support/made-algorithm.ts'
import { failureOf, successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld, type Request } from './support/registry-world.ts'

// Every operation of the staging area with every status that it says it answers. The list of what
// must be covered comes from the routes: a status that nothing here reaches fails the last test.

let world: RegistryWorld
let tight: RegistryWorld
beforeAll(async () => {
  world = await openRegistry()
  tight = await openRegistry({ bodyBytes: 1024 })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await tight?.[Symbol.asyncDispose]()
})

/** Nothing is called here: only what the routes say of themselves is looked at. */
const ENDPOINTS: readonly Endpoint[] = stagingEndpoints({
  keys: { verify: () => undefined },
  staging: new Proxy({} as RegistryWorld['engine']['staging'], { get: () => () => {} }),
})
const OPERATIONS = ENDPOINTS.map((endpoint) => ({
  endpoint,
  name: `${endpoint.methods[0]} ${endpoint.path}`,
  has: (status: number) => Object.hasOwn(endpoint.responses, status),
}))

const byName = (operations: typeof OPERATIONS) =>
  operations.map((operation) => [operation.name, operation] as const)

const covered = new Set<string>()

type Names = Readonly<Record<string, string>>

/** The operation with its names filled in. */
function filled(operation: string, names: Names): string {
  const all: Names = { algorithm: 'made', version: '1.0', id: 'made', ...names }
  return operation.replace(/\{(\w+)\}/g, (_, name: string) => all[name] ?? name)
}

const pathOf = (target: string) => (target.split(' ')[1] ?? '').replace(/\?.*/, '')

const STAGING = '/rest/staging'
const VERSION = `${STAGING}/{algorithm}/{version}`
const [, , , , SIZES] = TABLES

type Step = readonly [
  operation: string,
  status: number,
  names?: Names & { query?: string },
  body?: unknown,
]

/** The life of an algorithm, in this order. */
const LIFE: readonly Step[] = [
  [`GET ${STAGING}/algorithms`, 200],
  [`POST ${STAGING}/{algorithm}`, 201, {}, { algorithm: 'made', name: 'Made' }],
  [`POST ${STAGING}/{algorithm}`, 400, {}, { algorithm: 'made' }],
  [`POST ${STAGING}/{algorithm}`, 400, { algorithm: 'algorithms' }, {}],
  [`POST ${STAGING}/{algorithm}`, 400, { algorithm: 'other' }, { algorithm: 'another' }],
  [`POST ${STAGING}/{algorithm}`, 400, { algorithm: 'b%20d' }, {}],
  [`GET ${STAGING}/{algorithm}`, 200],
  [`PUT ${STAGING}/{algorithm}`, 200, {}, { name: 'Made again' }],
  [`PUT ${STAGING}/{algorithm}`, 400, {}, { name: 7 }],
  [`GET ${STAGING}/algorithms`, 200],
  [`GET ${STAGING}/{algorithm}/versions`, 200],
  [`POST ${VERSION}`, 201, {}, { version: '1.0', type: 'PRODUCTION' }],
  [`POST ${VERSION}`, 400, {}, {}],
  [`POST ${VERSION}`, 400, { version: 'versions' }, {}],
  [`POST ${VERSION}`, 400, { version: 'latest' }, {}],
  [`POST ${VERSION}`, 400, { version: '2.0' }, { version: '3.0' }],
  [`GET ${STAGING}/{algorithm}/versions`, 200],
  [`GET ${VERSION}`, 200],
  [`GET ${VERSION}`, 200, { version: 'latest' }],
  [`PUT ${VERSION}`, 200, {}, { naaccr_version: '26' }],
  [`PUT ${VERSION}`, 400, {}, { view_roles: ['BOSS'] }],
  [`PUT ${VERSION}`, 400, { version: 'latest' }, {}],
  [`DELETE ${VERSION}`, 400, { version: 'latest' }],
  [`POST ${VERSION}/table`, 400, { version: 'latest' }, SPARE_TABLE],
  ...[...TABLES, SPARE_TABLE].map((table): Step => [`POST ${VERSION}/table`, 201, {}, table]),
  [`POST ${VERSION}/table`, 400, {}, SPARE_TABLE],
  [`POST ${VERSION}/schema`, 201, { query: 'comment=first' }, SCHEMA],
  [`POST ${VERSION}/schema`, 400, {}, SCHEMA],
  [`POST ${VERSION}/schema`, 400, {}, { ...SCHEMA, id: 'other', inputs: [] }],
  [`GET ${VERSION}/schemas`, 200],
  [`GET ${VERSION}/schemas`, 200, { query: 'q=MADE' }],
  [`GET ${VERSION}/tables`, 200],
  [`GET ${VERSION}/tables`, 200, { query: 'unused=true&q=sp' }],
  [`GET ${VERSION}/tables`, 400, { query: 'unused=perhaps' }],
  [`GET ${VERSION}/schema/{id}`, 200],
  [`GET ${VERSION}/table/{id}`, 200, { id: 'sizes' }],
  [`GET ${VERSION}/schema/{id}/tables`, 200],
  [`GET ${VERSION}/table/{id}/schemas`, 200, { id: 'sizes' }],
  [`GET ${VERSION}/schema/{id}/glossary`, 200],
  [`GET ${VERSION}/table/{id}/glossary`, 200, { id: 'sizes', query: 'category=GENERAL,HEMATO' }],
  [`GET ${VERSION}/table/{id}/glossary`, 400, { id: 'sizes', query: 'category=BEST' }],
  [`PUT ${VERSION}/schema/{id}`, 200, {}, { ...SCHEMA, title: 'Made anew' }],
  [`PUT ${VERSION}/schema/{id}`, 400, {}, { ...SCHEMA, id: 'other' }],
  [`PUT ${VERSION}/table/{id}`, 200, { id: 'sizes' }, { ...SIZES, title: 'Sizes, anew' }],
  [`PUT ${VERSION}/table/{id}`, 400, { id: 'sizes' }, { ...SIZES, rows: [['1']] }],
  [`POST ${VERSION}/stage`, 200, {}, CASE],
  [`POST ${VERSION}/stage`, 200, { query: 'explain=true' }, { ...CASE, size: null }],
  [`POST ${VERSION}/stage`, 200, {}, {}],
  [`POST ${VERSION}/stage`, 400, {}, { ...CASE, size: 5 }],
  [`POST ${VERSION}/stage`, 400, {}, [CASE]],
  [`POST ${VERSION}/stage/batch`, 400, { query: 'explain=perhaps' }, CASE],
  [`POST ${VERSION}/schemas/lookup`, 200, {}, { site: 'C000', hist: '8000' }],
  [`POST ${VERSION}/{id}/defaults`, 200, {}, { site: 'C000', hist: null }],
  [`POST ${VERSION}/{id}/defaults`, 400, { id: 'nowhere' }, {}],
  [`POST ${VERSION}/table/{id}/match`, 200, { id: 'sizes' }, { size: '005' }],
  [`POST ${VERSION}/table/{id}/match`, 200, { id: 'sizes' }, { size: 'x' }],
  [`GET ${VERSION}/findings`, 200],
  [`POST ${VERSION}/fill_cache`, 204],
  [`POST ${VERSION}/invalidate_cache`, 204],
  [`GET ${VERSION}/schemas/history`, 200],
  [`GET ${VERSION}/tables/history`, 200, { query: 'page=2&per_page=3&order=ASC' }],
  [`GET ${VERSION}/tables/history`, 400, { query: 'page=0' }],
  [`GET ${VERSION}/tables/history`, 400, { query: 'per_page=1001' }],
  [`GET ${VERSION}/tables/history`, 400, { query: 'order=up' }],
  [`GET ${VERSION}/schema/{id}/history`, 200],
  [`GET ${VERSION}/table/{id}/history`, 200, { id: 'sizes' }],
  [`POST ${VERSION}/schema/{id}/restore`, 400, {}, { history: 999 }],
  [`POST ${VERSION}/batch`, 200, { query: 'comment=both' }, { tables: [], delete_tables: [] }],
  [`POST ${VERSION}/batch`, 400, {}, { tables: [{ ...SIZES, id: 'new' }, { id: 'bad' }] }],
  [`GET ${VERSION}/table/{id}`, 404, { id: 'new' }],
  [`DELETE ${VERSION}/table/{id}`, 400, { id: 'sizes' }],
  [`DELETE ${VERSION}/table/{id}`, 204, { id: 'spare', query: 'comment=gone' }],
  [`GET ${VERSION}/table/{id}`, 404, { id: 'spare' }],
  [`POST ${VERSION}/copy`, 204, {}, { algorithm: 'made', version: '2.0' }],
  [`POST ${VERSION}/copy`, 400, {}, { algorithm: 'made', version: '2.0' }],
  [`POST ${VERSION}/copy`, 400, {}, { algorithm: 'nowhere', version: '2.0' }],
  [`DELETE ${VERSION}/schema/{id}`, 204, { version: '2.0' }],
  [`DELETE ${STAGING}/{algorithm}`, 400],
]

const LAST: readonly Step[] = [
  [`DELETE ${VERSION}`, 204],
  [`DELETE ${VERSION}`, 204, { version: '2.0' }],
  [`DELETE ${STAGING}/{algorithm}`, 204],
]

const titled = (step: Step) => ({
  step,
  title: `${filled(step[0], step[2] ?? {})} ${step[2]?.query ?? ''} is ${step[1]}`,
})

async function take([operation, status, { query, ...names } = {}, body]: Step): Promise<unknown> {
  const target = filled(operation, names)
  covered.add(`${operation} ${status}`)
  const response = await world.ask(query === undefined ? target : `${target}?${query}`, { body })
  if (status < 300) return successOf(response, status)
  return failureOf(response, status, decodeURI(pathOf(target)))
}

describe('the life of an algorithm', () => {
  test.each(LIFE.map(titled))('$title', async ({ step }) => void (await take(step)))

  test.each([
    ['schema', 'made', 'title', 'Made for tests'],
    ['table', 'sizes', 'title', 'Sizes'],
  ])(
    'an earlier state of a %s comes back by its number in the history',
    async (...[kind, id, member, value]) => {
      const history = `GET ${VERSION}/${kind}/{id}/history`
      const entries = (await take([history, 200, { id, query: 'order=ASC' }])) as {
        number: number
        type: string
      }[]
      const number = entries.find(({ type }) => type === 'ADD')?.number
      const restored = await take([
        `POST ${VERSION}/${kind}/{id}/restore`,
        200,
        { id },
        { history: number },
      ])
      expect(restored).toMatchObject({ [member]: value })
      expect(await take([`GET ${VERSION}/${kind}/{id}`, 200, { id }])).toEqual(restored)
    },
  )
})

describe('what any operation of its kind answers', () => {
  const unknown = (name: string) => filled(name, { algorithm: 'nowhere', version: 'v', id: 'x' })
  const lastParameter = ({ parameters }: Endpoint) => Object.keys(parameters.shape).at(-1)
  const refuses = async (
    name: string,
    status: number,
    request: Request,
    target = unknown(name),
    registry = world,
  ) => {
    covered.add(`${name} ${status}`)
    return failureOf(await registry.ask(target, request), status, pathOf(target))
  }

  test.each(byName(OPERATIONS))(
    '%s without a key, or with a wrong one, is 401',
    async (name, { endpoint }) => {
      await refuses(name, 401, { who: 'nobody', ...(endpoint.content && { body: '{' }) })
      for (const wrong of ['BAD KEY', 'x', `${'0'.repeat(16)}_${'A'.repeat(43)}`]) {
        await refuses(name, 401, { who: 'nobody', headers: { 'X-SEERAPI-Key': wrong } })
      }
      await refuses(name, 401, { who: 'nobody', headers: { 'X-Auth-Token': world.secrets.ADMIN } })
    },
  )

  const edits = OPERATIONS.filter(({ has }) => has(403))
  test.each(byName(edits))('%s is 403 for a reader, whatever is posted', async (name) => {
    await refuses(name, 403, { who: 'reader' })
    await refuses(name, 403, { who: 'reader', body: '{' })
  })

  const isJson = ({ content = {} }: Endpoint) => Object.hasOwn(content, 'application/json')
  const bodies = OPERATIONS.filter(({ endpoint }) => isJson(endpoint))
  test.each(byName(bodies))('%s: bad JSON, another type, and too much of it', async (name) => {
    for (const body of ['', '{', '{"a":1}}', 'x', '{"a":\u0000}']) {
      await refuses(name, 400, { body })
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      await refuses(name, 415, { body: '{}', headers: { 'Content-Type': type } })
    }
    const coded = { 'Content-Encoding': 'gzip' }
    await refuses(name, 415, { body: '{}', headers: coded })
    const latin = { 'Content-Type': 'application/json; charset=iso-8859-1' }
    await refuses(name, 415, { body: '{}', headers: latin })
    const large = { body: { a: 'x'.repeat(2000) } }
    await refuses(name, 413, large, unknown(name), tight)
  })

  test('a batch is answered line by line, and of another type it is 415', async () => {
    const name = `POST ${VERSION}/stage/batch`
    const bad = { 'Content-Type': 'text/csv' }
    await refuses(name, 415, { body: '{}', headers: bad })
    covered.add(`${name} 200`)
    const headers = { 'Content-Type': 'application/x-ndjson' }
    const body = `${JSON.stringify({ ...CASE, size: null })}\nx\n`
    const answer = await world.ask(filled(name, {}), { body, headers })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const [first, second] = (await answer.text()).trimEnd().split('\n')
    const { size: _size, ...input } = CASE
    expect(JSON.parse(first ?? '')).toMatchObject({ result: 'STAGED', input })
    expect(JSON.parse(second ?? '')).toMatchObject({ line: 2, error: { code: 'bad_input' } })
  })

  const queries = OPERATIONS.filter(({ endpoint }) => lastParameter(endpoint) !== undefined)
  test.each(byName(queries))('%s: a parameter twice is 400', async (name, { endpoint }) => {
    const parameter = lastParameter(endpoint)
    covered.add(`${name} 400`)
    const target = unknown(name)
    const response = await world.ask(`${target}?${parameter}=a&${parameter}=b`, {
      ...(endpoint.content && { body: {} }),
    })
    await failureOf(response, 400, pathOf(target))
  })

  const named = OPERATIONS.filter(({ has }) => has(404))
  test.each(byName(named))('%s: an unknown algorithm is 404', async (name, { endpoint }) => {
    const bodies: Record<string, unknown> = { schema: SCHEMA, table: SPARE_TABLE }
    const kind = /\/(schema|table)(\/\{id\})?$/.exec(name)?.[1]
    const body = kind === undefined ? {} : { ...(bodies[kind] ?? {}), id: 'x' }
    const request = name.endsWith('/copy')
      ? { algorithm: 'made', version: 'c' }
      : name.endsWith('/restore')
        ? { history: 1 }
        : body
    await refuses(name, 404, { ...(endpoint.content && { body: request }) })
  })

  const ofEntities = named.filter(
    ({ name }) => name.includes('{id}') && !name.endsWith('/defaults'),
  )
  test.each(byName(ofEntities))('%s: an unknown id is 404', async (name, { endpoint }) => {
    const kind = name.includes('/schema/') ? SCHEMA : SPARE_TABLE
    const isPut = name.startsWith('PUT')
    const body = isPut ? { ...kind, id: 'x' } : name.endsWith('/restore') ? { history: 1 } : {}
    const request = { ...(endpoint.content && { body }) }
    await refuses(name, 404, request, filled(name, { id: 'x' }))
  })
})

describe('roles (registry.md 7.4)', () => {
  const EDITORS: readonly Role[] = ['ADMIN', 'STAGING_ADMIN', 'STAGING_EDITOR']
  const ADMINS: readonly Role[] = ['ADMIN', 'STAGING_ADMIN']
  const allowed = (name: string): readonly Role[] =>
    /\/(schema|table|batch)(\/|$)/.test(name) ? EDITORS : ADMINS
  // What is posted is no object and the algorithm is unknown, so nothing is ever done.
  const statusFor = async (name: string, endpoint: Endpoint, who: Role | 'reader') => {
    const target = filled(name, { algorithm: 'nowhere', version: 'v', id: 'x' })
    const response = await world.ask(target, { who, ...(endpoint.content && { body: [] }) })
    await response.text()
    return response.status
  }

  test.each(byName(OPERATIONS))('%s', async (name, { endpoint, has }) => {
    for (const who of [...ROLES, 'reader'] as const) {
      const may = !has(403) || allowed(name).some((role) => role === who)
      const status = await statusFor(name, endpoint, who)
      if (may) expect([200, 400, 404]).toContain(status)
      else expect({ who, status }).toEqual({ who, status: 403 })
    }
  })

  test('every operation that changes something needs one, and no other does', () => {
    const reads = /\/(stage|stage\/batch|schemas\/lookup|\{id\}\/defaults|match)$/
    for (const { name, has } of OPERATIONS) {
      expect({ name, has: has(403) }).toEqual({
        name,
        has: !name.startsWith('GET') && !reads.test(name),
      })
    }
  })
})

describe('who may see and edit one version', () => {
  const version = `${STAGING}/made/beta`
  const statuses = async (operation: string, body?: unknown) => {
    const all = [...ROLES, 'reader'].map(async (who) => {
      const response = await world.ask(operation, { who: who as Role, body })
      await response.text()
      return [who, response.status] as const
    })
    return Object.fromEntries(await Promise.all(all)) as Record<Role | 'reader', number>
  }

  test('one with view_roles is not there for others, and in no list of theirs', async () => {
    const roles = { view_roles: ['STAGING_BETA_VIEW'], edit_roles: ['RX_EDITOR'] }
    await successOf(await world.ask(`POST ${version}`, { body: roles }), 201)
    const seen = await statuses(`GET ${version}`)
    expect(seen).toMatchObject({ ADMIN: 200, STAGING_BETA_VIEW: 200, reader: 404, RX_EDITOR: 404 })
    expect(await statuses(`GET ${version}/schemas`)).toEqual(seen)
    for (const who of ['STAGING_BETA_VIEW', 'reader'] as const) {
      const listed = await successOf(await world.ask(`GET ${STAGING}/made/versions`, { who }), 200)
      const names = (listed as { version: string }[]).map((one) => one.version)
      expect(names.includes('beta')).toBe(who !== 'reader')
    }
  })

  test('one with edit_roles asks its editors for one of them besides', async () => {
    await successOf(await world.ask(`PUT ${version}`, { body: { edit_roles: ['RX_EDITOR'] } }), 200)
    const may = await statuses(`POST ${version}/table`, SPARE_TABLE)
    expect(may).toMatchObject({ STAGING_EDITOR: 403, RX_EDITOR: 403, reader: 403 })
    expect([201, 400]).toContain(may.ADMIN)
    await successOf(await world.ask(`DELETE ${version}`), 204)
  })
})

describe('in the end', () => {
  test.each(LAST.map(titled))('$title', async ({ step }) => void (await take(step)))

  test('every status that the routes speak of was seen', () => {
    const told = OPERATIONS.flatMap(({ name, endpoint }) =>
      Object.keys(endpoint.responses).map((status) => `${name} ${status}`),
    )
    expect(told.filter((one) => !covered.has(one))).toEqual([])
    expect([...covered].filter((one) => !told.includes(one))).toEqual([])
  })

  test('neither log nor metrics name what was asked or posted, or a key', async () => {
    const metrics = await (await world.app.request('/metrics')).text()
    const told = `${world.lines.join('')}${metrics}`
    expect(told).toContain(`${VERSION}/stage`)
    expect(told).not.toMatch(/C000|nowhere|BAD KEY|\/made\b/)
    for (const secret of Object.values(world.secrets)) expect(told).not.toContain(secret)
  })
})
