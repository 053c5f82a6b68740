import { expect, test } from 'vitest'
import { beginLogin, LoginCookie } from './login-cookie.ts'

const readBack = (cookie: LoginCookie, set: string) =>
  cookie.read(new Headers({ Cookie: `other=1; ${set.split(';')[0]}` }))

test('behind TLS the cookie is Secure and only from this very host', () => {
  const cookie = new LoginCookie('https://data.example.org')
  const begun = beginLogin('/cases?a=ü#b')
  const set = cookie.set(begun)
  // RFC 6265bis 4.1.3.2: with this prefix, browsers want Secure, Path=/ and no Domain.
  expect(set).toMatch(
    /^__Host-casemill-login=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/,
  )
  expect(readBack(cookie, set)).toEqual(begun)
  expect(cookie.end()).toBe(
    '__Host-casemill-login=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure',
  )
})

test('on this machine the cookie is neither, and that of another name is not read', () => {
  const local = new LoginCookie('http://127.0.0.1:8080')
  const set = local.set(beginLogin('/'))
  expect(set).toMatch(/^casemill-login=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
  expect(readBack(new LoginCookie('https://data.example.org'), set)).toBeUndefined()
})

test('no secret of a log-in is that of another', () => {
  const all = Array.from({ length: 20 }, () => beginLogin('/'))
  const secrets = all.flatMap(({ state, nonce, verifier }) => [state, nonce, verifier])
  expect(new Set(secrets).size).toBe(60)
  for (const secret of secrets) expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
})

test.each([
  '',
  '{}',
  'null',
  '[]',
  JSON.stringify({ ...beginLogin('/'), more: 1 }),
  JSON.stringify({ ...beginLogin('/'), state: '' }),
  JSON.stringify({ ...beginLogin('/'), state: ['a'] }),
])('a cookie of other content is no log-in (%#)', (text) => {
  const cookie = new LoginCookie('http://127.0.0.1:8080')
  const value = Buffer.from(text).toString('base64url')
  expect(cookie.read(new Headers({ Cookie: `casemill-login=${value}` }))).toBeUndefined()
})
