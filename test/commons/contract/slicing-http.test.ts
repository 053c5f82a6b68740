import { expect, test } from 'vitest'
import { fakeApp, goodToken, strangerToken } from './fake-engine.ts'

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const jsonType = { 'Content-Type': 'application/json' }

async function failure(response: Response) {
  const text = await response.text()
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(text).toMatch(/^\{"error":"/)
  const { error, message } = JSON.parse(text)
  expect(error).toBe(message)
  return { status: response.status, message }
}

test('data-commons-service.md 4.5: a slice answers 206 with an unquoted file name, no range and no length', async () => {
  const { app } = fakeApp()
  const response = await app.request('/slicing/view/open?region=chr1', {
    headers: { Accept: 'application/json', 'Accept-Encoding': 'gzip, deflate' },
  })
  expect(response.status).toBe(206)
  expect(response.headers.get('content-type')).toBe('application/octet-stream')
  expect(response.headers.get('content-disposition')).toBe('attachment; filename=open_slice.bam')
  expect(response.headers.get('x-casemill-release')).toBe('release-1')
  for (const absent of ['content-range', 'content-length', 'content-encoding']) {
    expect(response.headers.has(absent)).toBe(false)
  }
  const body = new Uint8Array(await response.arrayBuffer())
  expect([0, 1, 2, 3].map((i) => body[i << 20])).toEqual([0, 1, 2, 3])
  expect(body.length).toBe(4 << 20)
})

test('data-commons.md 11.15: a strange file name is replaced, and repeated encoded', async () => {
  const { app } = fakeApp()
  const response = await app.request('/slicing/view/strange%20name')
  expect(response.headers.get('content-disposition')).toBe(
    "attachment; filename*=UTF-8''slice%20of%20%22M%C3%BCller%22.bam; filename=slice_of__M_ller_.bam",
  )
  await response.body?.cancel()
})

test.each([
  ['?region=chr1&region=chr2:5-9&gencode=TP53', ['chr1', 'chr2:5-9'], ['TP53']],
  ['?regions=chr1&geneannot=TP53&geneannot=KRAS', ['chr1'], ['TP53', 'KRAS']],
  ['?&region=unmapped', ['unmapped'], []],
  ['?region=&gencode=', [], []],
  ['', [], []],
])('data-commons-service.md 4.5: GET %s asks for %o and %o', async (query, regions, genes) => {
  const { app, requests } = fakeApp()
  const response = await app.request(`/slicing/view/open${query}`)
  expect(response.status).toBe(206)
  expect(requests).toEqual([{ fileId: 'open', token: undefined, regions, genes }])
  await response.body?.cancel()
})

test.each([
  [jsonType, '{"regions":["chr1","chr2"],"geneannot":["TP53"]}', ['chr1', 'chr2'], ['TP53']],
  [jsonType, '{"regions":"chr1","gencode":"TP53","size":7,"x":{"y":[]}}', ['chr1'], ['TP53']],
  [jsonType, '{"regions":[],"geneannot":[]}', [], []],
  [jsonType, '', [], []],
  [jsonType, '{}', [], []],
  [form, 'regions=chr1&regions=chr2&attachment=true&filters=%7B%7D', ['chr1', 'chr2'], []],
  [form, '{"regions":["chr1"]}', ['chr1'], []],
])(
  'data-commons-service.md 4.5: POST %o %s is understood',
  async (headers, body, regions, genes) => {
    const { app, requests } = fakeApp()
    const response = await app.request('/slicing/view/open', { method: 'POST', headers, body })
    expect(response.status).toBe(206)
    expect(requests).toEqual([{ fileId: 'open', token: undefined, regions, genes }])
    await response.body?.cancel()
  },
)

test('data-commons.md 2.1: a JSON body without content type is read as JSON', async () => {
  const { app, requests } = fakeApp()
  const body = new TextEncoder().encode('{"regions":["chr9"]}')
  const response = await app.request('/slicing/view/open', { method: 'POST', body })
  expect(requests[0]?.regions).toEqual(['chr9'])
  await response.body?.cancel()
})

test.each([
  ['{"regions":5}', 'regions: expected string'],
  ['{"regions":["chr1",{"a":1}]}', 'regions[1]: expected string'],
  ['{"geneannot":[["TP53"]]}', 'geneannot[0]: expected string'],
  ['{"regions":', 'the body is not valid JSON'],
  ['["chr1"]', 'the body is JSON but not an object'],
  ['{"regions":["chr1","chr2:9-"]}', 'regions[1]: region "chr2:9-" is malformed'],
])('data-commons-service.md 7.1: POST %s is a 400 that names the place', async (body, message) => {
  const { app } = fakeApp()
  const options = { method: 'POST', headers: jsonType, body }
  const answer = await failure(await app.request('/slicing/view/open', options))
  expect(answer.status).toBe(400)
  expect(answer.message).toContain(message)
})

test.each([
  ['/slicing/view', 404],
  ['/slicing/view/', 404],
  ['/slicing/view/nowhere', 404],
  ['/slicing/view/text', 404],
  ['/slicing/view/controlled', 403],
  ['/slicing/view/unindexed', 504],
  ['/slicing/view/corrupt', 500],
  ['/slicing/view/fails-at-once', 500],
])('data-commons-service.md 7.1: %s answers %i, by GET and by POST', async (path, status) => {
  const { app } = fakeApp()
  expect((await failure(await app.request(path))).status).toBe(status)
  expect((await failure(await app.request(path, { method: 'POST' }))).status).toBe(status)
})

test('data-commons.md 7: a malformed body is reported only to those who may read the file', async () => {
  const { app } = fakeApp()
  const ask = async (path: string, token?: string) => {
    const headers = { ...jsonType, ...(token === undefined ? {} : { 'X-Auth-Token': token }) }
    const options = { method: 'POST', headers, body: '{"regions":[' }
    return (await failure(await app.request(`/slicing/view/${path}`, options))).status
  }
  expect(await ask('nowhere')).toBe(404)
  expect(await ask('text')).toBe(404)
  expect(await ask('controlled')).toBe(403)
  expect(await ask('controlled', strangerToken)).toBe(403)
  expect(await ask('unindexed')).toBe(504)
  expect(await ask('controlled', goodToken)).toBe(400)
})

test('data-commons-service.md 5: the token comes in either header, and an absurd one is merely invalid', async () => {
  const { app } = fakeApp()
  const ask = async (headers: Record<string, string>) => {
    const response = await app.request('/slicing/view/controlled', { headers })
    await response.body?.cancel()
    return response.status
  }
  expect(await ask({ 'X-Auth-Token': goodToken })).toBe(206)
  expect(await ask({ 'x-auth-token': goodToken })).toBe(206)
  expect(await ask({ Authorization: `Bearer ${goodToken}` })).toBe(206)
  expect(await ask({ 'X-Auth-Token': 'ÿþ ü' })).toBe(403)
  expect(await ask({ 'X-Auth-Token': 'x'.repeat(50_000) })).toBe(403)
  expect(await ask({ 'X-Auth-Token': strangerToken })).toBe(403)
})

test('data-commons.md 5.3: a bad token on an open file is not looked at', async () => {
  const { app } = fakeApp()
  const response = await app.request('/slicing/view/open', { headers: { 'X-Auth-Token': 'bad' } })
  expect(response.status).toBe(206)
  await response.body?.cancel()
})

test('data-commons.md 11.14: HEAD gives status and headers, and the body is never started', async () => {
  const { app, made, closed } = fakeApp()
  const response = await app.request('/slicing/view/open?region=chr1', { method: 'HEAD' })
  expect(response.status).toBe(206)
  expect(response.headers.get('content-disposition')).toBe('attachment; filename=open_slice.bam')
  expect(response.body).toBeNull()
  expect(made.get('open')).toBeUndefined()
  expect(closed.get('open')).toBe(1)
  expect((await app.request('/slicing/view/nowhere', { method: 'HEAD' })).status).toBe(404)
})

test('data-commons.md 11.17: busy is 503 with Retry-After', async () => {
  const { app } = fakeApp()
  const response = await app.request('/slicing/view/busy')
  expect(response.headers.get('retry-after')).toBe('5')
  expect((await failure(response)).status).toBe(503)
})

test('a bug is a 500 without detail, and the log has the detail under the request id', async () => {
  const { app, lines } = fakeApp()
  const response = await app.request('/slicing/view/bug', { headers: { 'X-Request-Id': 'r-1' } })
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({
    error: 'internal server error',
    message: 'internal server error',
    request_id: 'r-1',
  })
  const logged = lines.find((line) => line.includes('request failed'))
  expect(logged).toContain('secret detail of a bug')
  expect(logged).toContain('"requestId":"r-1"')
})

test('data-commons.md 11.8: a body over the limit is 413', async () => {
  const { app } = fakeApp({ bodyBytes: 1024 })
  const body = `{"regions":["${'a'.repeat(2000)}"]}`
  const options = { method: 'POST', headers: jsonType, body }
  expect((await failure(await app.request('/slicing/view/open', options))).status).toBe(413)
})
