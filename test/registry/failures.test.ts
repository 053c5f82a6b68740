import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sharedState } from '../../engine/internal.ts'
import { KeyStore } from '../../engine/shared/internal.ts'
import { fakeApp } from '../commons/contract/fake-engine.ts'
import { listenFor } from '../commons/contract/support/listen.ts'
import { eventually } from '../eventually.ts'
import { failureOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'

// Failures outside of the operations, with the wording of registry.md 1.3.

let world: RegistryWorld
beforeAll(async () => {
  world = await openRegistry()
})
afterAll(() => world?.[Symbol.asyncDispose]())

test.each([
  '/rest',
  '/rest/nothing',
  '/rest/nothing/latest',
  '/rest/staging',
  '/rest/staging/a/b/c',
  '/rest/staging/a/b/schema/c/d',
  '/v0/rest/nothing',
  '//rest//nothing/',
])('%s is nothing: 404, with a key and without', async (path) => {
  const told = path
    .replace(/^\/v0/, '')
    .replaceAll('//', '/')
    .replace(/(?<=.)\/$/, '')
  for (const who of ['ADMIN', 'nobody'] as const) {
    await failureOf(await world.ask(`GET ${path}`, { who }), 404, told)
  }
})

test('what only begins like the interface is none of it', async () => {
  const response = await world.ask('GET /restless')
  expect(response.status).toBe(404)
  expect(Object.keys((await response.json()) as object)).toEqual(['error', 'message'])
})

test.each([
  ['PATCH', '/rest/staging/made', 'DELETE, GET, HEAD, OPTIONS, POST, PUT'],
  ['PUT', '/rest/staging/algorithms', 'GET, HEAD, OPTIONS'],
  ['GET', '/rest/staging/made/1.0/stage', 'OPTIONS, POST'],
  ['DELETE', '/rest/staging/made/1.0/schemas', 'GET, HEAD, OPTIONS'],
  ['POST', '/rest/staging/made/1.0/schema/made', 'DELETE, GET, HEAD, OPTIONS, PUT'],
])('%s %s is 405 and says what is allowed', async (method, path, allow) => {
  const response = await world.ask(`${method} ${path}`)
  expect(response.headers.get('allow')).toBe(allow)
  await failureOf(response, 405, path)
})

test('a browser may ask from anywhere and send a key', async () => {
  const response = await world.ask('OPTIONS /rest/staging/made/1.0/stage', { who: 'nobody' })
  expect(response.status).toBe(204)
  expect(response.headers.get('access-control-allow-headers')).toContain('X-SEERAPI-Key')
})

test('HEAD answers like GET without a body', async () => {
  const get = await world.ask('GET /rest/staging/algorithms')
  const head = await world.ask('HEAD /rest/staging/algorithms')
  expect(head.status).toBe(200)
  expect(await head.text()).toBe('')
  const { byteLength } = await get.arrayBuffer()
  expect(head.headers.get('content-length')).toBe(String(byteLength))
})

test('a key that another process makes is good at once, and no good when that revokes it', async () => {
  const state = sharedState(world.place)
  onTestFinished(() => state.close())
  const keys = new KeyStore(state, () => new Date())
  const { id, secret } = await keys.create()
  const headers = { 'X-SEERAPI-Key': secret }
  const ask = () => world.ask('GET /rest/staging/algorithms', { who: 'nobody', headers })
  expect((await ask()).status).toBe(200)
  await keys.revoke(id)
  const refused = async () => failureOf(await ask(), 401, '/rest/staging/algorithms')
  // With a database server, a node learns of other nodes' writes with a short delay.
  const message = await (world.place.stateUrl === undefined ? refused() : eventually(refused))
  expect(message).not.toContain(secret.slice(17))
})

test('a bug is 500 and tells nothing', async () => {
  const { app, lines } = fakeApp({}, (engine) => ({
    ...engine,
    registry: {
      ...engine.registry,
      keys: { verify: async () => ({ user: 'ada', roles: new Set() }) },
      staging: new Proxy(engine.registry.staging, {
        get: () => () => {
          throw new TypeError('secret detail of a bug')
        },
      }),
    },
  }))
  const path = '/rest/staging/made/1.0/stage'
  const headers = { 'X-SEERAPI-Key': 'x', 'Content-Type': 'application/json' }
  const response = await app.request(path, { method: 'POST', headers, body: '{"site":"C509"}' })
  expect(await failureOf(response, 500, path)).toBe('internal server error')
  expect(lines.join('')).toContain('secret detail of a bug')
  expect(lines.join('')).not.toContain('C509')
})

test('a key has a share of its own, and what is above it is 429', async () => {
  await using limited = await openRegistry({ ratePerMinute: 1, rateBurst: 2, trustedProxies: 1 })
  const ask = (address: string, who: 'reader' | 'ADMIN') =>
    limited.ask('GET /rest/staging/algorithms', { who, headers: { 'X-Forwarded-For': address } })
  expect((await ask('10.0.0.1', 'reader')).status).toBe(200)
  expect((await ask('10.0.0.2', 'reader')).status).toBe(200)
  const refused = await ask('10.0.0.3', 'reader')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  await failureOf(refused, 429, '/rest/staging/algorithms')
  expect((await ask('10.0.0.3', 'ADMIN')).status).toBe(200)
})

test('over the wire, too, a body that is too large is told so', async () => {
  const server = await listenFor(world.engine, { bodyBytes: 1024 })
  onTestFinished(() => server.close())
  const headers = {
    'X-SEERAPI-Key': world.secrets.reader,
    'Content-Type': 'application/json',
  }
  const path = '/rest/staging/made/1.0/stage'
  const post = (body: string) =>
    fetch(`${server.address}${path}`, { method: 'POST', headers, body })
  await failureOf(await post(`{"site":"${'x'.repeat(1 << 20)}"}`), 413, path)
  await failureOf(await post('{"site":"C000"}'), 404, path)
})

interface Described {
  readonly security?: unknown
  readonly requestBody?: { readonly required?: boolean }
}

test('the API document has the operations with their key and the version of the interface', async () => {
  const document = (await (await world.app.request('/openapi.json')).json()) as {
    readonly info: Record<string, unknown>
    readonly paths: Record<string, Record<string, Described>>
    readonly components: {
      readonly securitySchemes: Record<string, unknown>
      readonly schemas: Record<string, unknown>
    }
  }
  expect(document.info['x-interface-versions']).toEqual({ registry: '1.0' })
  expect(document.info.termsOfService).toBe('/terms')
  expect((await world.app.request('/terms')).status).toBe(200)
  expect(document.components.securitySchemes.apiKeyScheme).toMatchObject({
    type: 'apiKey',
    in: 'header',
    name: 'X-SEERAPI-Key',
  })
  const operations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/rest/'))
    .flatMap(([, item]) => Object.values(item))
  expect(operations.length).toBeGreaterThan(30)
  for (const { security } of operations) expect(security).toEqual([{ apiKeyScheme: [] }])
  const shapes = Object.keys(document.components.schemas)
  expect(shapes).toEqual(
    expect.arrayContaining(['StagingSchema', 'StagingTable', 'StagingData', 'RegistryError']),
  )
})
