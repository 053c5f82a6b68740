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
