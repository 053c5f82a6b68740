import { expect, test } from 'vitest'
import { fakeApp } from '../../test/commons/contract/fake-engine.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const home = (headers: Record<string, string> = {}, trustedProxies = 0) =>
  fakeApp({ trustedProxies }).app.request('/', { headers })

const textOf = async (headers: Record<string, string>, trustedProxies = 0) =>
  (await home(headers, trustedProxies)).text()

test('the root page lists the contents of the service', async () => {
  for (const path of ['/', '/v0', '/v0/']) {
    const { app } = fakeApp()
    const response = await app.request(path, { headers: { Accept: BROWSER } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const text = await response.text()
    expect(text).toContain('Data Release 1.0 - January 1, 2025 of 2025-01-01')
    expect(text).toMatch(/<dt><a href="\/cases\?[^"]*">cases<\/a><\/dt><dd>1,234<\/dd>/)
  }
})

test('without a release the page shows no counts and explains why', async () => {
  const { app } = fakeApp({}, (engine) => {
    const none = () => undefined
    return { ...engine, commons: { ...engine.commons, releaseFacts: none, releaseLoad: none } }
  })
  const text = await (await app.request('/')).text()
  expect(text).toContain('No release is served yet.')
  expect(text).not.toContain('<dl>')
})

test('every link of the page leads somewhere', async () => {
  const { app } = fakeApp()
  const text = await (await app.request('/')).text()
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link)
  expect(links.length).toBeGreaterThan(15)
  for (const link of links) {
    const { status } = await app.request(link)
    expect([link, status]).toEqual([link, 200])
  }
})

test('the pages run nothing and load nothing but their icon', async () => {
  const { app } = fakeApp()
  for (const path of ['/', '/terms', '/nothing-at-all']) {
    const response = await app.request(path, { headers: { Accept: BROWSER } })
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/script-src|unsafe/)
    const text = await response.text()
    expect(text).not.toMatch(/<script|\son\w+=|\sstyle=|\ssrc=/)
    // The style is checked against the hash in the policy, as a browser does.
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''
    const sum = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
    expect(policy).toContain(`style-src 'sha256-${Buffer.from(sum).toString('base64')}'`)
  }
})

test('answers 304 for the same host, and 200 for another host', async () => {
  const etag = (await home({ Host: 'a' })).headers.get('etag') ?? ''
  expect((await home({ Host: 'a', 'If-None-Match': etag })).status).toBe(304)
  expect((await home({ Host: 'b', 'If-None-Match': etag })).status).toBe(200)
})

test.each(['localhost:8080', 'data.example.org', '[2001:db8::1]:443', '10.0.0.1'])(
  'the commands contain the requested host: %s',
  async (host) => {
    const text = await textOf({ Host: host })
    expect(text.match(/curl [^\n]*/g)).toHaveLength(5)
    expect(text).toContain(`curl -s &#39;http://${host}/status&#39;`)
  },
)

test.each([
  'a"><script>alert(1)</script>',
  "a';rm -rf ~;'",
  'a/b',
  'a b',
  'user@host',
  '$(id)',
  'a:123456',
  `${'a'.repeat(254)}`,
])('a host that could not be pasted is not repeated: %s', async (host) => {
  const text = await textOf({ Host: host })
  expect(text).not.toContain(host)
  expect(text).toContain('curl -s &#39;http://127.0.0.1:8080/status&#39;')
})

test('https is believed to a proxy that is trusted', async () => {
  const headers = { Host: 'data.example.org', 'X-Forwarded-Proto': 'https' }
  expect(await textOf(headers)).toContain('http://data.example.org/status')
  expect(await textOf(headers, 1)).toContain('https://data.example.org/status')
})

test.each([
  ['/nothing-at-all', 'There is nothing at this path.'],
  ['/Files', 'There is nothing at this path; did you mean /files?'],
  ['/rest/nothing/of/this/kind', 'There is nothing at this path.'],
])('a browser gets a page at %s', async (path, sentence) => {
  const { app } = fakeApp()
  const response = await app.request(path, { headers: { Accept: BROWSER } })
  expect(response.status).toBe(404)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const text = await response.text()
  expect(text).toContain(`<p>${sentence}</p>`)
  expect(text).toContain('href="/docs"')
})

test('the page for an unknown path repeats nothing of the path', async () => {
  const { app } = fakeApp()
  const response = await app.request('/jane-doe/%3Cscript%3E', { headers: { Accept: BROWSER } })
  expect(await response.text()).not.toMatch(/jane|script/)
})

test.each([
  ['/nothing-at-all', '*/*', 404],
  ['/nothing-at-all', 'application/json', 404],
  ['/nothing-at-all', 'text/html;q=0, */*', 404],
  // Interfaces keep their own answers.
  ['/slicing/view/nowhere', BROWSER, 404],
  ['/docs/nothing.js', BROWSER, 404],
  ['/files/_nothing', BROWSER, 404],
])('%s with Accept: %s is JSON', async (path, accept, status) => {
  const { app } = fakeApp()
  const response = await app.request(path, { headers: { Accept: accept } })
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toBe('application/json')
})

test('a method that a path does not know stays JSON for a browser', async () => {
  const { app } = fakeApp()
  const response = await app.request('/status', { method: 'POST', headers: { Accept: BROWSER } })
  expect(response.status).toBe(405)
  expect(response.headers.get('content-type')).toBe('application/json')
})
