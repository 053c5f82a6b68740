import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depth } from '../../depth.ts'
import { fakeApp } from './fake-engine.ts'

test('data-commons-service.md 4.1: status has its six keys in order, whatever parameters are added', async () => {
  const { app } = fakeApp()
  const expected =
    '{"commit":"880f321a","data_release":"Data Release 1.0 - January 1, 2025",' +
    '"data_release_version":{"major":1,"minor":0,"release_date":"2025-01-01"},' +
    '"status":"OK","tag":"0.1.0","version":1}'
  for (const path of [
    '/status',
    '/v0/status',
    '//status',
    '/status/?format=JSON&size=x&pretty=1',
  ]) {
    const response = await app.request(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toBe(expected)
  }
})

test.each(['/v1/status', '/legacy/files', '/v0/legacy/files', '/nothing', '/v0/v0/status'])(
  'data-commons.md 2.1: %s is a JSON 404',
  async (path) => {
    const { app } = fakeApp()
    const response = await app.request(path)
    expect(response.status).toBe(404)
    expect(await response.text()).toBe(
      '{"error":"there is nothing at this path","message":"there is nothing at this path"}',
    )
  },
)

test('data-commons.md 2.3: a known path with another method is 405 and says what is allowed', async () => {
  const { app } = fakeApp()
  const response = await app.request('/slicing/view/open', { method: 'DELETE' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST')
  expect(await response.text()).toMatch(/^\{"error":"DELETE is not served/)
  const other = await app.request('/status', { method: 'POST' })
  expect(other.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
})

test('data-commons.md 2.1: a browser may ask from anywhere, and sees the headers it needs', async () => {
  const { app } = fakeApp()
  const asked = await app.request('/slicing/view/open', {
    method: 'OPTIONS',
    headers: { Origin: 'https://portal.test', 'Access-Control-Request-Method': 'POST' },
  })
  expect(asked.status).toBe(204)
  expect(asked.headers.get('access-control-allow-origin')).toBe('*')
  expect(asked.headers.get('access-control-allow-headers')).toContain('X-Auth-Token, ')
  expect(asked.headers.get('access-control-allow-methods')).toContain('POST')
  for (const path of ['/status', '/nothing', '/slicing/view/nowhere']) {
    const { headers } = await app.request(path)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toContain('Content-Disposition')
  }
  expect((await app.request('/nothing', { method: 'OPTIONS' })).status).toBe(404)
})

test('HEAD answers like GET without a body', async () => {
  const { app } = fakeApp()
  for (const path of ['/status', '/health/live', '/openapi.json', '/docs', '/nothing']) {
    const get = await app.request(path)
    const head = await app.request(path, { method: 'HEAD' })
    expect(head.status).toBe(get.status)
    expect(await head.text()).toBe('')
    const { byteLength } = await get.arrayBuffer()
    expect(head.headers.get('content-length')).toBe(String(byteLength))
  }
})

test('a sane request id is kept, any other replaced', async () => {
  const { app } = fakeApp()
  const idFor = async (id: string) =>
    (await app.request('/status', { headers: { 'X-Request-Id': id } })).headers.get('x-request-id')
  expect(await idFor('abc-1.2:3')).toBe('abc-1.2:3')
  expect(await idFor('a b')).toMatch(/^[0-9a-f-]{36}$/)
  expect(await idFor('x'.repeat(200))).toMatch(/^[0-9a-f-]{36}$/)
})

test('the log names route, status and bytes, and neither path, query nor token', async () => {
  const { app, lines } = fakeApp()
  const headers = { 'X-Auth-Token': 'secret-token', Authorization: 'Bearer secret-token' }
  const response = await app.request('/slicing/view/secret-id?region=chr17:7661779', { headers })
  await app.request('/secret-path?secret=1')
  expect(lines.join('')).not.toMatch(/secret|chr17/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'info',
    method: 'GET',
    route: '/slicing/view/{bam_file_id}',
    status: 404,
    bytes: (await response.arrayBuffer()).byteLength,
    outcome: 'complete',
  })
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ route: 'unmatched', status: 404 })
})

test('the metrics count by route and show the load of the engine', async () => {
  const { app } = fakeApp()
  await app.request('/status')
  await app.request('/nothing')
  const text = await (await app.request('/metrics')).text()
  expect(text).toContain(
    'casemill_http_requests_total{method="GET",route="/status",status="200",outcome="complete"} 1',
  )
  expect(text).toContain('route="unmatched",status="404"')
  expect(text).toContain('casemill_http_requests_in_flight 1')
  expect(text).toContain('casemill_slices_active 2')
  expect(text).toContain('nodejs_eventloop_lag_seconds')
})

test('readiness turns false while the server stops, liveness does not', async () => {
  const { app, readiness } = fakeApp()
  expect((await app.request('/health/ready')).status).toBe(200)
  readiness.ready = false
  const response = await app.request('/health/ready')
  expect(response.status).toBe(503)
  expect(response.headers.get('connection')).toBe('close')
  expect((await app.request('/health/live')).status).toBe(200)
})

test('dependencies are reported by name and state, and do not affect readiness', async () => {
  const states = [
    { database: 'available', objects: 'available', disk: 'available', status: 'ok' },
    { database: 'away', objects: 'available', disk: 'available', status: 'impaired' },
    { database: 'available', objects: 'full', disk: 'available', status: 'impaired' },
    { database: 'full', objects: 'away', disk: 'full', status: 'impaired' },
  ] as const
  for (const { database, objects, disk, status } of states) {
    const dependencies = async () => ({
      database: { kind: 'postgresql', state: database } as const,
      objectStorage: { state: objects },
      disk: { state: disk, freeBytes: 12, totalBytes: 34 },
    })
    const { app } = fakeApp({}, (engine) => ({ ...engine, dependencies }))
    const answer = await app.request('/health/dependencies')
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      status,
      dependencies: {
        database: { kind: 'postgresql', state: database },
        object_storage: { state: objects },
        disk: { state: disk, free_bytes: 12, total_bytes: 34 },
      },
    })
    expect((await app.request('/health/ready')).status).toBe(200)
  }
})

test('the metrics say of what the service needs whether it is away or full', async () => {
  const { app } = fakeApp()
  const text = await (await app.request('/metrics')).text()
  expect(text).toContain('casemill_dependency_away{dependency="database"} 0')
  expect(text).toContain('casemill_dependency_full{dependency="disk"} 0')
  expect(text).not.toContain('dependency="object_storage"')
  expect(text).toContain('casemill_disk_free_bytes 8')
})

interface Operation {
  readonly operationId: string
  readonly responses: Record<string, unknown>
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}

test('the API document is OpenAPI 3.1 and has every route that is served', async () => {
  const { app } = fakeApp()
  const document = JSON.parse(await (await app.request('/openapi.json')).text())
  expect(document.openapi).toBe('3.1.0')
  expect(document.info).toMatchObject({ title: 'casemill', version: '0.1.0' })
  const paths = document.paths as Record<string, Record<string, Operation>>
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const served = app.routes
    .filter(({ path }) => path !== '/*')
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  expect(documented.sort()).toEqual([...new Set(served)].sort())
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const [path, item] of Object.entries(paths)) {
    const named = [...path.matchAll(/\{(.+?)\}/g)].map(([, name]) => name)
    for (const operation of Object.values(item)) {
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
      expect(inPath.map(({ name }) => name)).toEqual(named)
      expect(Object.keys(operation.responses).length).toBeGreaterThan(0)
    }
  }
  const slicing = paths['/slicing/view/{bam_file_id}']
  expect(slicing?.get?.parameters?.map(({ name }) => name)).toContain('geneannot')
  expect(slicing?.post).toHaveProperty(['requestBody', 'content', 'application/json'])
  expect(document.components.securitySchemes.token.name).toBe('X-Auth-Token')
})

test('the API page loads nothing from outside', async () => {
  const { app } = fakeApp()
  const response = await app.request('/docs')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  const html = await response.text()
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '')
  expect(links).toHaveLength(6)
  for (const link of links) {
    expect(link).toMatch(/^\/(docs\/|favicon\.ico$|openapi\.json$)/)
    const asset = await app.request(link)
    expect(asset.status).toBe(200)
    expect((await asset.arrayBuffer()).byteLength).toBeGreaterThan(50)
  }
  expect((await app.request('/docs/package.json')).status).toBe(404)
})

test('the parts of the API page are compressed, and not sent again to who has them', async () => {
  const { app } = fakeApp()
  const path = '/docs/swagger-ui-bundle.js'
  const plain = new Uint8Array(await (await app.request(path)).arrayBuffer())
  for (const [coding, unpack] of [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const) {
    const packed = await app.request(path, { headers: { 'Accept-Encoding': coding } })
    expect(packed.headers.get('content-encoding')).toBe(coding)
    expect(packed.headers.get('vary')).toBe('Accept-Encoding')
    const bytes = new Uint8Array(await packed.arrayBuffer())
    expect(bytes.length).toBeLessThan(plain.length / 2)
    expect(unpack(bytes).equals(plain)).toBe(true)
    const held = { 'Accept-Encoding': coding, 'If-None-Match': packed.headers.get('etag') ?? '' }
    expect((await app.request(path, { headers: held })).status).toBe(304)
  }
})

// The ids exclude the fake engine's files that answer 5xx on purpose.
const segment = fc.oneof(
  fc.constantFrom('slicing', 'view', 'open', 'controlled', 'status', 'docs', 'v0', 'health', ''),
  fc.string({ unit: 'binary' }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom('%', '%0A', '%E2%80%A8', '%2F', '%2e%2e', '%FF', '..', 'a,b', '"', '*', ':x'),
)
const path = fc.oneof(
  fc.array(segment, { maxLength: 5 }).map((segments) => segments.join('/')),
  fc.constantFrom('slicing/view/open', 'slicing/view/controlled', 'v0//slicing/view/open/'),
  fc.tuple(fc.constantFrom('slicing/view', 'docs'), segment).map((parts) => parts.join('/')),
)
const query = fc.oneof(
  fc.webQueryParameters(),
  fc.constantFrom('&region=chr1', '&&=&a', '%', '"x"', 'region=%FF', 'region=x&region=y:'),
)
const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'application/x-www-form-urlencoded',
      'x',
      '',
    ),
    'x-auth-token': fc.stringMatching(/^[\x21-\xff]{1,20}$/),
    authorization: fc.constantFrom('Bearer', 'Bearer ÿ', 'Basic x'),
    'x-request-id': fc.stringMatching(/^[\x21-\xff]{1,20}$/),
    'content-length': fc.constantFrom('5', '-1', 'x', '99999999999'),
  },
  { requiredKeys: [] },
)
const body = fc.oneof(
  fc.json(),
  fc.record({ regions: fc.jsonValue(), gencode: fc.jsonValue() }).map((v) => JSON.stringify(v)),
  fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
  fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
)

test('no path, query, header or body is answered with a 5xx', async () => {
  const { app } = fakeApp({ logLevel: 'silent', bodyBytes: 4096 })
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH')
  const statuses = new Set<number>()
  await fc.assert(
    fc.asyncProperty(
      path,
      query,
      method,
      headers,
      body,
      async (path, query, method, given, body) => {
        const init = { method, headers: given, ...(/GET|HEAD/.test(method) ? {} : { body }) }
        const response = await app.request(`http://localhost/${path}?${query}`, init)
        await response.body?.cancel()
        statuses.add(response.status)
        expect(response.status).toBeLessThan(500)
      },
    ),
    { seed: 7, numRuns: depth(400, 2000) },
  )
  // If one of these were missing, the inputs would not get deep enough for the property to mean anything.
  for (const status of [200, 204, 206, 400, 403, 404, 405, 413]) expect(statuses).toContain(status)
})
