import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DATASET_NAMES } from '../../../engine/commons/datasets/define.ts'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import { fakeApp } from './fake-engine.ts'
import { bigBody } from './fake-search.ts'

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const jsonType = { 'Content-Type': 'application/json' }

const defaults = {
  filters: undefined,
  caseFilters: undefined,
  fields: [],
  expand: [],
  facets: [],
  histograms: [],
  sort: [],
  size: 10,
  from: 0,
  format: 'json',
  pretty: false,
  isBare: false,
  returnType: undefined,
}

const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value))
const open = { op: 'in', content: { field: 'files.access', value: ['open'] } }

/** The query that the engine receives for a GET with this query string. */
async function askedByGet(query: string, headers: Record<string, string> = {}) {
  const { app, search } = fakeApp()
  const response = await app.request(`/files${query}`, { headers })
  expect(response.status, await response.clone().text()).toBe(200)
  return search.asked[0]?.request
}

async function askedByPost(body: unknown, headers: Record<string, string> = jsonType) {
  const { app, search } = fakeApp()
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await app.request('/files', { method: 'POST', headers, body: text })
  expect(response.status, await response.clone().text()).toBe(200)
  return search.asked[0]?.request
}

async function failure(response: Response) {
  const text = await response.text()
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(text).toMatch(/^\{"error":"/)
  const { error, message } = JSON.parse(text)
  expect(error).toBe(message)
  return { status: response.status, message: String(message) }
}

describe.each(DATASET_NAMES)('data-commons-service.md 4.2, data-commons.md 4: /%s', (name) => {
  const { idField } = DATASETS[name]

  test('is searched by GET and by POST', async () => {
    const { app, search } = fakeApp()
    for (const method of ['GET', 'POST']) {
      const response = await app.request(`/v0/${name}/?size=3`, { method })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.json()).toEqual({ name })
    }
    const one = { kind: 'search', name, request: { ...defaults, size: 3 } }
    expect(search.asked).toEqual([one, one])
  })

  test('gives one record by GET and by POST, and 404 for an unknown one', async () => {
    const { app, search } = fakeApp()
    const request = { fields: [idField], expand: [], format: 'json', pretty: true }
    const query = `fields=${idField}&pretty=TRUE`
    await app.request(`/${name}/TCGA%2DX?${query}`)
    await app.request(`/${name}/TCGA-X/`, {
      method: 'POST',
      headers: jsonType,
      body: JSON.stringify({ fields: idField, pretty: 'TRUE', size: 'not looked at' }),
    })
    const one = { kind: 'record', name, id: 'TCGA-X', request }
    expect(search.asked).toEqual([one, one])
    expect((await failure(await app.request(`/${name}/unknown`))).status).toBe(404)
  })

  test('looks up ids', async () => {
    const { app, search } = fakeApp()
    expect((await app.request(`/${name}/ids?query=TCGA&size=5&from=2`)).status).toBe(200)
    const request = {
      query: 'TCGA',
      size: 5,
      from: 2,
      format: 'json',
      pretty: false,
      isBare: false,
    }
    expect(search.asked).toEqual([{ kind: 'lookup', name, request }])
    const missing = await failure(await app.request(`/${name}/ids?query=`))
    expect(missing).toMatchObject({ status: 400, message: expect.stringContaining('query') })
  })

  test('has a mapping, whatever parameters a client adds', async () => {
    const { app } = fakeApp()
    const response = await app.request(`/${name}/_mapping?format=JSON&pretty=FALSE&size=10&from=0`)
    expect(response.status).toBe(200)
    const mapping = JSON.parse(await response.text())
    const keys = ['_mapping', 'defaults', 'expand', 'fields', 'multi', 'nested']
    expect(Object.keys(mapping)).toEqual(keys)
    expect(mapping.fields).toContain(idField)
    const held = { 'If-None-Match': response.headers.get('etag') ?? '' }
    expect((await app.request(`/${name}/_mapping`, { headers: held })).status).toBe(304)
    const pretty = await app.request(`/${name}/_mapping?pretty=true`)
    expect(await pretty.text()).toBe(JSON.stringify(mapping, null, 2))
  })

  test('never takes the names beside its records for ids', async () => {
    const { app, search } = fakeApp()
    for (const path of [`/${name}/_mapping`, `/${name}/ids`]) {
      const posted = await app.request(path, { method: 'POST' })
      expect(posted.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      expect((await failure(posted)).status).toBe(405)
    }
    const ids = ['_search', '_mappings', '%5Fx', ...(name === 'files' ? [] : ['versions'])]
    for (const id of ids) {
      expect((await failure(await app.request(`/${name}/${id}`))).status).toBe(404)
    }
    const deleted = await app.request(`/${name}/some-id`, { method: 'DELETE' })
    expect(deleted.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST')
    expect((await failure(deleted)).status).toBe(405)
    expect((await failure(await app.request(`/legacy/${name}`))).status).toBe(404)
    expect(
      (await failure(await app.request(`/v0/legacy/${name}`, { method: 'POST' }))).status,
    ).toBe(404)
    expect(search.asked).toEqual([])
  })
})

describe('data-commons.md 2.1: parameters', () => {
  test.each<[string, object]>([
    ['', {}],
    ['?', {}],
    ['?&expand=cases,cases.samples', { expand: ['cases', 'cases.samples'] }],
    ['?fields=a.b&fields=c,%20d,', { fields: ['a.b', 'c', 'd'] }],
    ['?fields=&expand=&facets=&sort=&size=&from=&filters=&format=&pretty=&filename=', {}],
    ['?size=0&from=5', { size: 0, from: 5 }],
    ['?size=1e5', { size: 100_000 }],
    ['?size=1E%2B05', { size: 100_000 }],
    ['?size=1e+05', { size: 100_000 }],
    ['?size=2.0', { size: 2 }],
    ['?size=%2012%20', { size: 12 }],
    ['?size=50000000&from=5e7', { size: 50_000_000, from: 50_000_000 }],
    [
      '?sort=file_size:desc,file_id&sort=access:asc',
      { sort: ['file_size:desc', 'file_id', 'access:asc'] },
    ],
    ['?format=TSV', { format: 'tsv' }],
    ['?format=Xml&pretty=True', { format: 'xml', pretty: true }],
    ['?format=Csv', { format: 'csv' }],
    ['?format=ndjson', { format: 'ndjson' }],
    ['?format=arrow', { format: 'arrow' }],
    ['?format=parquet', { format: 'parquet' }],
    ['?pretty=FALSE', {}],
    [`?filters=${encoded(open)}`, { filters: open }],
    [`?filters=${encodeURIComponent(encoded(open))}`, { filters: open }],
    [`?filters=${JSON.stringify(open)}`, { filters: open }],
    ['?filters=%7B%7D', {}],
    ['?filters=null', {}],
    [`?case_filters=${encoded(open)}`, { caseFilters: open }],
    ['?return_type=Manifest&size=x1'.replace('x1', '7'), { returnType: 'manifest', size: 7 }],
    ['?tsv_format=x&downloadCookieKey=1&hash=&annotations=true&related_files=no&x[y]=z', {}],
  ])('GET %s', async (query, expected) => {
    expect(await askedByGet(query)).toEqual({ ...defaults, ...expected })
  })

  test.each<[unknown, object]>([
    ['', {}],
    [{}, {}],
    [{ filters: {} }, {}],
    [{ filters: '', fields: '', facets: {}, expand: [], size: '', from: null }, {}],
    [
      { filters: open, size: '100', from: '20', pretty: 'TRUE' },
      { filters: open, size: 100, from: 20, pretty: true },
    ],
    [
      { filters: JSON.stringify(open), size: 1e5, pretty: false },
      { filters: open, size: 100_000 },
    ],
    [
      { size: [25], from: ['3'], fields: ['a', 'b,c'] },
      { size: 25, from: 3, fields: ['a', 'b', 'c'] },
    ],
    [{ facets: ['access', 'data_type'], format: 'JSON' }, { facets: ['access', 'data_type'] }],
    [
      { histograms: 'file_size:10,created_datetime:year' },
      { histograms: ['file_size:10', 'created_datetime:year'] },
    ],
    [
      { case_filters: open, return_type: 'manifest' },
      { caseFilters: open, returnType: 'manifest' },
    ],
    // The engine judges the contents of a filter.
    [{ filters: [open] }, { filters: [open] }],
    [{ filters: 5 }, { filters: 5 }],
  ])('POST JSON %j', async (body, expected) => {
    expect(await askedByPost(body)).toEqual({ ...defaults, ...expected })
    expect(await askedByPost(body, {})).toEqual({ ...defaults, ...expected })
  })

  test('POST of a form, as curl and browsers send it', async () => {
    const body = `&fields=a&fields=b%2Cc&size=1e%2B2&filters=${encoded(open)}&facets=x+&pretty=true`
    expect(await askedByPost(body, form)).toEqual({
      ...defaults,
      fields: ['a', 'b', 'c'],
      size: 100,
      filters: open,
      facets: ['x'],
      pretty: true,
    })
    expect(await askedByPost({ size: 3 }, form)).toEqual({ ...defaults, size: 3 })
  })

  test.each([
    ['/files?size=-1', 'size'],
    ['/files?size=ten', 'size'],
    ['/files?size=1.5', 'size'],
    ['/files?size=1&size=2', 'size'],
    ['/files?size=1e99', 'size'],
    ['/files?size=0x10', 'size'],
    ['/files?from=1e', 'from'],
    ['/files?from=NaN', 'from'],
    ['/files?size=99999999&from=2', 'limit of their sum is 100000000'],
    ['/files?size=9007199254740993', 'size'],
    ['/files?format=yaml', 'format'],
    ['/files?pretty=yes', 'pretty'],
    ['/files?attachment=1', 'attachment'],
    ['/files?return_type=list', 'return_type'],
    ['/files?filters=%7B', 'filters is not valid JSON'],
    ['/files?filters=open', 'filters is not valid JSON'],
    ['/files?case_filters=%7B', 'case_filters is not valid JSON'],
    ['/files?fields=bad', 'filters.op: operator "x" is unknown'],
    ['/files/x?format=yaml', 'format'],
    ['/files/ids?query=x&size=x', 'size'],
  ])('%s is a 400 that names the place: %s', async (path, place) => {
    const { app } = fakeApp()
    const answer = await failure(await app.request(path))
    expect(answer).toMatchObject({ status: 400, message: expect.stringContaining(place) })
  })

  test.each([
    ['{"fields":5}', 'fields'],
    ['{"fields":["a",{"b":1}]}', 'fields'],
    ['{"size":{"a":1}}', 'size'],
    ['{"size":true}', 'size'],
    ['{"size":-0.5}', 'size'],
    ['{"pretty":{"a":1}}', 'pretty'],
    ['{"format":["tsv"]}', 'format'],
    ['{"filters":"{"}', 'filters'],
    ['{"filters":', 'the body is not valid JSON'],
    ['[1]', 'the body is JSON but not an object'],
    ['"x"', 'the body is JSON but not an object'],
  ])('POST %j is a 400 that names the place: %s', async (body, place) => {
    const { app } = fakeApp()
    const request = app.request('/files', { method: 'POST', headers: jsonType, body })
    const answer = await failure(await request)
    expect(answer).toMatchObject({ status: 400, message: expect.stringContaining(place) })
  })

  test('input that would take long to parse is a 400 that states the limit', async () => {
    const { app } = fakeApp()
    const told = async (body: string) => {
      const options = { method: 'POST', headers: jsonType, body }
      const { status, message } = await failure(await app.request('/files', options))
      return `${status} ${message}`
    }
    expect(await told(`{"fields":",,,${'a,'.repeat(10_000)}"}`)).toBe(
      '400 parameter fields has more names than the limit of 10000',
    )
    expect(await told(`{"filters":${'{"a":'.repeat(200)}`)).toBe(
      '400 the body is nested deeper than 128 levels',
    )
    expect(await told(JSON.stringify({ filters: '['.repeat(200) }))).toBe(
      '400 the text of filters is nested deeper than 128 levels',
    )
    expect(await told(`[${'1,'.repeat(100_001)}1]`)).toBe(
      '400 the body has more than 100000 values',
    )
    expect(await told(`{${'"a":1,'.repeat(100_001)}"a":1}`)).toBe(
      '400 the body has more than 100000 object members',
    )
    expect(await told(JSON.stringify({ filename: 'x'.repeat(1001) }))).toContain('filename')
  })

  test('a form with absurdly many fields is a 400, one that is too large a 413', async () => {
    const post = (body: string) => app.request('/files', { method: 'POST', headers: form, body })
    const { app } = fakeApp({ bodyBytes: 1_000_000 })
    expect(await failure(await post('a&'.repeat(60_000)))).toMatchObject({
      status: 400,
      message: 'the body has more than 10000 form fields',
    })
    expect((await failure(await post('a'.repeat(1_000_001)))).status).toBe(413)
  })
})

describe('data-commons.md 2.1: Accept', () => {
  test.each([
    [undefined, 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['application/x-ndjson', 'ndjson'],
    ['application/vnd.apache.arrow.stream', 'arrow'],
    ['application/vnd.apache.parquet, */*;q=0.1', 'parquet'],
    ['text/tab-separated-values;charset=utf-8', 'tsv'],
    ['text/csv', 'csv'],
    ['APPLICATION/XML', 'xml'],
    ['application/xml, application/json', 'json'],
    ['application/xml;q=0.9, application/json;q=0.8', 'xml'],
    // The Accept headers of R's httr, a browser and curl, and one that cannot be satisfied.
    ['application/json, text/xml, application/xml, */*', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['application/x-ndjson;q=0', 'json'],
    ['image/png', 'json'],
    [',;q=x,,', 'json'],
  ])('%s gives %s', async (accept, format) => {
    const request = await askedByGet('', accept === undefined ? {} : { Accept: accept })
    expect(request).toMatchObject({ format })
  })

  test('a format that is asked for by parameter wins', async () => {
    const accept = { Accept: 'application/x-ndjson' }
    expect(await askedByGet('?format=TSV', accept)).toMatchObject({ format: 'tsv' })
    expect(await askedByGet('?format=json', accept)).toMatchObject({ format: 'json' })
  })
})

describe('data-commons.md 2.1, 3.7: files to be saved', () => {
  const dispositionOf = async (path: string) =>
    (await fakeApp().app.request(path)).headers.get('content-disposition')

  test.each([
    ['/files', null],
    ['/files?filename=x.tsv', null],
    ['/files?attachment=true', 'attachment; filename=files.json'],
    ['/files?attachment=TRUE&format=tsv', 'attachment; filename=files.tsv'],
    ['/cases/a-1?attachment=True', 'attachment; filename=a-1.json'],
    ['/files?attachment=true&filename=cohort.tsv', 'attachment; filename=cohort.tsv'],
    [
      '/files?attachment=true&filename=a%0D%0Ab%20%22c',
      "attachment; filename*=UTF-8''ab%20%22c; filename=ab__c",
    ],
    ['/files?return_type=manifest', 'attachment; filename=manifest_20250102_030405.txt'],
    ['/files?return_type=manifest&filename=m.txt', 'attachment; filename=m.txt'],
    ['/cases?return_type=manifest', 'attachment; filename=manifest_20250102_030405.txt'],
  ])('%s: %s', async (path, disposition) => {
    expect(await dispositionOf(path)).toBe(disposition)
  })
})

describe('validators', () => {
  test('a client that holds the answer gets 304 before any work', async () => {
    const { app, search } = fakeApp()
    const first = await app.request('/files?size=5&fields=a&unknown=')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    expect(first.headers.get('vary')).toBe('Accept, Accept-Encoding')
    const held = { 'If-None-Match': `"x", W/${etag}` }
    for (const method of ['GET', 'HEAD']) {
      // The same request, written differently.
      const again = await app.request('//v0/files/?&fields=a,&size=5e0', { method, headers: held })
      expect(again.status).toBe(304)
      expect(await again.text()).toBe('')
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('vary')).toBe('Accept, Accept-Encoding')
      expect(again.headers.get('access-control-allow-origin')).toBe('*')
    }
    expect(search.asked).toHaveLength(1)
  })

  test('another release, dataset, id, format or parameter has another validator', async () => {
    const { app, search } = fakeApp()
    const etags = new Set<string | null>()
    const paths = [
      '/files',
      '/cases',
      '/files?size=9',
      '/files?from=1',
      '/files?fields=a',
      '/files/a',
    ]
    const more = ['/files?format=tsv', '/files/b', '/files/ids?query=a', '/files?attachment=true']
    for (const path of [...paths, ...more]) {
      etags.add((await app.request(path)).headers.get('etag'))
    }
    const accept = { headers: { Accept: 'application/x-ndjson' } }
    etags.add((await app.request('/files', accept)).headers.get('etag'))
    search.release.id = 'release-2'
    etags.add((await app.request('/files')).headers.get('etag'))
    expect(etags.size).toBe(12)
  })

  test('the order of members in a filter makes no difference', async () => {
    const { app } = fakeApp()
    const etagOf = async (filters: string) =>
      (await app.request(`/files?filters=${filters}`)).headers.get('etag')
    const one = await etagOf('{"op":"=","content":{"field":"a","value":["b"]}}')
    expect(await etagOf('{"content":{"value":["b"],"field":"a"},"op":"="}')).toBe(one)
    expect(await etagOf('{"content":{"value":["c"],"field":"a"},"op":"="}')).not.toBe(one)
  })

  test('the answer to a POST has none and is never 304', async () => {
    const { app } = fakeApp()
    const etag = (await app.request('/files')).headers.get('etag') ?? ''
    const response = await app.request('/files', {
      method: 'POST',
      headers: { 'If-None-Match': etag },
    })
    expect(response.status).toBe(200)
    expect(response.headers.has('etag')).toBe(false)
  })

  test('a failure has none', async () => {
    const { app } = fakeApp()
    for (const path of ['/files/unknown', '/files?size=x', '/files?fields=fails-at-once']) {
      const { headers } = await app.request(path)
      expect([headers.get('etag'), headers.get('content-encoding')]).toEqual([null, null])
    }
  })
})

describe('compression', () => {
  const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }

  test.each(Object.entries(decoders))('%s gives the same bytes', async (coding, decode) => {
    const { app, search } = fakeApp()
    const plain = await app.request('/files?fields=big')
    const headers = { 'Accept-Encoding': coding }
    const response = await app.request('/files?fields=big', { headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(response.headers.has('content-length')).toBe(false)
    const etag = plain.headers.get('etag') ?? ''
    expect(response.headers.get('etag')).toBe(`${etag.slice(0, -1)}-${coding}"`)
    const body = new Uint8Array(await response.arrayBuffer())
    expect(body.length).toBeLessThan(bigBody().length / 5)
    expect(Buffer.compare(decode(body), bigBody())).toBe(0)
    expect(Buffer.compare(new Uint8Array(await plain.arrayBuffer()), bigBody())).toBe(0)
    await expect.poll(() => search.events).toContain('big closed')
    const again = await app.request('/files?fields=big', { headers })
    expect(Buffer.compare(new Uint8Array(await again.arrayBuffer()), body)).toBe(0)
    const held = { ...headers, 'If-None-Match': response.headers.get('etag') ?? '' }
    const unchanged = await app.request('/files?fields=big', { headers: held })
    expect([unchanged.status, unchanged.headers.get('etag')]).toEqual([
      304,
      response.headers.get('etag'),
    ])
    const other = await app.request('/files?fields=big', {
      headers: { 'If-None-Match': held['If-None-Match'] },
    })
    expect(other.status).toBe(200)
    await other.body?.cancel()
  })

  test.each([
    ['gzip, deflate, br, zstd', 'zstd'],
    ['deflate, gzip', 'gzip'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
    ['gzip;q=0.9, zstd;q=0.2', 'gzip'],
    ['*', 'zstd'],
    ['GZIP', 'gzip'],
    ['gzip;q=0', null],
    ['identity', null],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0', null],
    ['deflate, compress, x', null],
    ['', null],
    [';q=,,gzip;q=x', 'gzip'],
  ])('Accept-Encoding %s chooses %s', async (acceptEncoding, coding) => {
    const { app } = fakeApp()
    const headers = { 'Accept-Encoding': acceptEncoding }
    const response = await app.request('/files?fields=big', { headers })
    expect(response.headers.get('content-encoding')).toBe(coding)
    await response.body?.cancel()
  })

  test('short answers, Parquet and slices are sent as they are', async () => {
    const { app } = fakeApp()
    const headers = { 'Accept-Encoding': 'gzip, br, zstd' }
    for (const path of [
      '/files',
      '/files/a',
      '/files?fields=big&format=parquet',
      '/slicing/view/open',
      '/status',
    ]) {
      const response = await app.request(path, { headers })
      expect(response.headers.get('content-encoding')).toBeNull()
      await response.body?.cancel()
    }
  })

  test('the mapping and the API document are kept compressed', async () => {
    const { app } = fakeApp()
    for (const path of ['/cases/_mapping', '/openapi.json']) {
      const plain = await (await app.request(path)).text()
      for (const [coding, decode] of Object.entries(decoders)) {
        const headers = { 'Accept-Encoding': coding }
        const response = await app.request(path, { headers })
        expect(response.headers.get('content-encoding')).toBe(coding)
        const body = new Uint8Array(await response.arrayBuffer())
        expect(Number(response.headers.get('content-length'))).toBe(body.length)
        expect(decode(body).toString()).toBe(plain)
        const held = { ...headers, 'If-None-Match': response.headers.get('etag') ?? '' }
        expect((await app.request(path, { headers: held })).status).toBe(304)
      }
    }
  })

  test('HEAD has the headers of GET, and the body is never started', async () => {
    const { app, search } = fakeApp()
    for (const [path, coding] of [
      ['/files', 'gzip'],
      ['/files?fields=big', 'gzip'],
      ['/files?fields=big', 'identity'],
    ] as const) {
      const headers = { 'Accept-Encoding': coding }
      const get = await app.request(path, { headers })
      await get.body?.cancel()
      search.events.length = 0
      const head = await app.request(path, { method: 'HEAD', headers })
      expect(head.body).toBeNull()
      const wanted = ['content-type', 'content-length', 'content-encoding', 'etag', 'vary']
      for (const name of wanted) expect(head.headers.get(name)).toBe(get.headers.get(name))
      if (path !== '/files') expect(search.events).toEqual(['big closed'])
    }
  })

  test('a body that fails before its first byte is an ordinary error', async () => {
    const { app, search } = fakeApp()
    const headers = { 'Accept-Encoding': 'gzip' }
    const response = await app.request('/files?fields=fails-at-once', { headers })
    expect(await failure(response)).toEqual({ status: 500, message: 'no first block' })
    await expect.poll(() => search.events).toContain('fails-at-once ended')
  })
})

describe('errors', () => {
  test('busy is 503 with Retry-After, and a bug is a 500 without detail', async () => {
    const { app } = fakeApp()
    const busy = await app.request('/files?fields=busy')
    expect(busy.headers.get('retry-after')).toBe('5')
    expect((await failure(busy)).status).toBe(503)
    const bug = await app.request('/files?fields=bug')
    expect(await failure(bug)).toEqual({ status: 500, message: 'internal server error' })
  })
})

describe('data-commons.md 4: quick search', () => {
  test.each(['/all', '/quick_search'])('%s asks for a text and a number of hits', async (path) => {
    const { app } = fakeApp()
    const response = await app.request(`/v0${path}?query=TCGA&size=5`)
    const expected = { data: { query: { hits: [{ query: 'TCGA', size: 5 }], total: 1 } } }
    expect(await response.json()).toEqual(expected)
    expect((await failure(await app.request(path))).message).toContain('query')
    expect((await failure(await app.request(`${path}?query=a&size=1e6`))).message).toContain('size')
  })
})

describe('data-commons-service.md 4.1, data-commons.md 4.2: notifications', () => {
  test('active ones are listed in the shape that the portal reads', async () => {
    const { app, search } = fakeApp()
    expect(await (await app.request('/notifications')).text()).toBe('{"data":[]}')
    const start = '2025-01-01T00:00:00.000Z'
    search.notifications.push(
      {
        id: 4,
        level: 'INFO',
        components: ['SUBMISSION_API', 'LEGACY_API'],
        message: 'The system is up!',
        dismissible: true,
        startDate: start,
        endDate: null,
      },
      {
        id: 5,
        level: 'ERROR',
        components: ['LOGIN', 'API'],
        message: 'No login today.',
        dismissible: false,
        startDate: start,
        endDate: '2025-01-03T00:00:00.000Z',
      },
    )
    const first = {
      id: 4,
      level: 'INFO',
      components: ['SUBMISSION_API', 'LEGACY_API'],
      message: 'The system is up!',
      dismissible: true,
      start_date: start,
      end_date: null,
    }
    const second = {
      id: 5,
      level: 'ERROR',
      components: ['LOGIN', 'API'],
      message: 'No login today.',
      dismissible: false,
      start_date: start,
      end_date: '2025-01-03T00:00:00.000Z',
    }
    const listed = await app.request('/v0/notifications?size=x')
    expect(await listed.json()).toEqual({ data: [first, second] })
    const login = await app.request('/login-notifications')
    expect(await login.json()).toEqual({ data: [second] })
  })
})

test('the API document describes each parameter once, for all datasets', async () => {
  const { app } = fakeApp()
  const text = await (await app.request('/openapi.json')).text()
  const document = JSON.parse(text)
  const { parameters, schemas } = document.components
  const search = document.paths['/files'].get.parameters
  for (const name of ['expand', 'histograms', 'size', 'from', 'format']) {
    expect(parameters[name]).toMatchObject({ name, in: 'query', required: false })
    expect(parameters[name].description.length).toBeGreaterThan(20)
    expect(schemas[name]).toBeDefined()
    expect(text.split(JSON.stringify(parameters[name].description)).length).toBeLessThanOrEqual(3)
    expect(search).toContainEqual({ $ref: `#/components/parameters/${name}` })
  }
  // The values of these parameters depend on the dataset, and a shared parameter has no room for them.
  for (const name of ['fields', 'facets', 'sort']) {
    const example = expect.stringMatching(/^[a-z]/)
    expect(search).toContainEqual({ ...parameters[name], example })
  }
  const { content, ...rest } = parameters.filters
  expect(content).toEqual({ 'application/json': { schema: { type: 'object' } } })
  const example = expect.objectContaining({ op: 'in' })
  const filled = { schema: { type: 'object' }, example }
  expect(search).toContainEqual({ ...rest, content: { 'application/json': filled } })
  const body = document.paths['/cases'].post.requestBody.content['application/json'].schema
  expect(body).toEqual({ $ref: '#/components/schemas/SearchParameters' })
  expect(schemas.SearchParameters.properties.size).toEqual({ $ref: '#/components/schemas/size' })
  expect(schemas.size).toMatchObject({ type: 'integer', minimum: 0, default: 10 })
  // The interface of the registry and of submission have other parameters and longer descriptions.
  const paths = Object.keys(document.paths).filter((path) => !/^\/(rest|submission)\b/.test(path))
  const lengthOf = (some: readonly string[]) =>
    JSON.stringify(some.map((path) => [path, document.paths[path]])).length
  const ofDatasets = DATASET_NAMES.map((name) => [
    ...[`/${name}`, `/${name}/ids`, `/${name}/_mapping`],
    `/${name}/{${DATASETS[name].idField}}`,
  ])
  for (const own of ofDatasets) {
    expect(paths).toEqual(expect.arrayContaining(own))
    expect([own[0], lengthOf(own) < 10_500]).toEqual([own[0], true])
  }
  const others = paths.filter((path) => !ofDatasets.some((own) => own.includes(path)))
  // The limit is about 3 kB for each operation.
  expect(lengthOf(others)).toBeLessThan(3_000 * others.length)
})
