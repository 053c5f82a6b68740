import { expect, test } from 'vitest'
import { sessionToken } from './token.ts'

const TOKEN = `${'0'.repeat(16)}_${'a'.repeat(43)}`

/**
 * Headers as browsers send them (W3C Fetch Metadata Request Headers). The cookie is sent whichever site submits
 * the form.
 */
const tokenOf = (method: string, site?: string, cookie = `sessionid=${TOKEN}`) =>
  sessionToken(
    new Request('http://localhost/data', {
      method,
      headers: { Cookie: cookie, ...(site !== undefined && { 'Sec-Fetch-Site': site }) },
    }),
  )

test('a session counts for every reading request, and for a link that was followed', () => {
  for (const site of [undefined, 'same-origin', 'none', 'same-site', 'cross-site']) {
    expect(tokenOf('GET', site)).toBe(TOKEN)
    expect(tokenOf('HEAD', site)).toBe(TOKEN)
  }
})

test('a session counts for no changing request that a page of another origin sends', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    expect(tokenOf(method, 'same-origin')).toBe(TOKEN)
    expect(tokenOf(method)).toBe(TOKEN)
    for (const site of ['same-site', 'cross-site', 'none', 'anything']) {
      expect(tokenOf(method, site)).toBeUndefined()
    }
  }
})

test('a session cookie without a valid token is ignored', () => {
  expect(tokenOf('GET', undefined, 'sessionid=abc')).toBeUndefined()
})

const SESSION = `sessionid=cms_${'0'.repeat(16)}_${'a'.repeat(43)}`

/** Returns whether the session of a person counts for a request to `data.example.org` with these headers. */
const counts = (method: string, headers: Record<string, string>) =>
  sessionToken(
    new Request('https://data.example.org/data', {
      method,
      headers: { Cookie: SESSION, Host: 'data.example.org', ...headers },
    }),
  ) !== undefined

test('a person’s session counts for a changing request only if a page of this origin is said to send it', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    expect(counts(method, { 'Sec-Fetch-Site': 'same-origin' })).toBe(true)
    expect(counts(method, { Origin: 'https://data.example.org' })).toBe(true)
    expect(counts(method, { Referer: 'https://data.example.org/a' })).toBe(true)
    const others: readonly Record<string, string>[] = [
      {},
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'same-origin', 'Sec-Purpose': 'prefetch;prerender' },
      { Origin: 'https://other.example.org' },
      { Origin: 'https://data.example.org.evil.example' },
      { Origin: 'https://data.example.org:444' },
      { Origin: 'null', Referer: 'https://data.example.org/a' },
      { Referer: 'https://other.example.org/?https://data.example.org/' },
      { 'Sec-Fetch-Site': 'none', Origin: 'https://data.example.org' },
      { 'Sec-Fetch-Site': 'same-site', Referer: 'https://data.example.org/' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ]
    for (const headers of others)
      expect([headers, counts(method, headers)]).toEqual([headers, false])
  }
  expect(counts('GET', {})).toBe(true)
})
