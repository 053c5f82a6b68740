import { expect, test } from 'vitest'
import { readJson } from './json-body.ts'

const read = (text: string, headers: Record<string, string> = {}) =>
  readJson(new Headers(headers), async () => new TextEncoder().encode(text))

test.each([
  undefined,
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON;charset="UTF-8"',
  'application/json;charset=utf8',
  'application/merge-patch+json',
])('a body of type %s is read as JSON', async (type) => {
  expect(await read('{"site":null}', type === undefined ? {} : { 'Content-Type': type })).toEqual({
    site: null,
  })
})

test.each([
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Content-Type', 'application/jsonp'],
  ['Content-Type', 'text/json'],
  ['Content-Type', 'application/json; charset=iso-8859-1'],
  ['Content-Type', 'application/json; charset=utf-16'],
  ['Content-Encoding', 'gzip'],
])('%s: %s is refused, whatever the body is', async (name, value) => {
  await expect(read('{}', { [name]: value })).rejects.toMatchObject({ code: 'unsupported_type' })
})

test('invalid JSON is bad_input, and the message does not repeat it', async () => {
  for (const text of ['', '{', '{"site":"C509"', 'C509', '{"site":C509}']) {
    await expect(read(text)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.not.stringContaining('C509'),
    })
  }
})
