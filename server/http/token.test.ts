import { expect, test } from 'vitest'
import { sentToken } from './token.ts'

test.each([
  [{}, undefined],
  [{ 'X-Auth-Token': ' abc ' }, 'abc'],
  [{ 'x-auth-token': '' }, undefined],
  [{ Authorization: 'Bearer abc' }, 'abc'],
  [{ Authorization: 'bearer  a b' }, 'a b'],
  [{ Authorization: 'Basic abc' }, undefined],
  [{ 'X-Auth-Token': 'abc', Authorization: 'Bearer other' }, 'abc'],
  [{ 'X-Auth-Token': 'tökén' }, 'tökén'],
])('%o carries %s', (headers, token) => {
  expect(sentToken(new Headers(headers as Record<string, string>))).toBe(token)
})
