import { string as anyText, assert, property, uniqueArray } from 'fast-check'
import { expect, test } from 'vitest'
import type { Unknowns } from '../../input/unknowns.ts'
import { valuesOf } from './claim-values.ts'

const parsed = (text: string) => JSON.parse(text) as Unknowns

test.each([
  ['{"groups":"a"}', 'groups', ['a']],
  ['{"groups":["a","b c"]}', 'groups', ['a', 'b c']],
  ['{"level":3,"staff":true}', 'level', ['3']],
  ['{"level":3,"staff":true}', 'staff', ['true']],
  ['{"realm_access":{"roles":["a"]}}', 'realm_access.roles', ['a']],
  ['{"a":{"b":{"c":"d"}}}', 'a.b.c', ['d']],
  // A claim with the whole path as its name takes precedence, also if it has no values.
  ['{"a.b":"x","a":{"b":"y"}}', 'a.b', ['x']],
  ['{"a.b":null,"a":{"b":"y"}}', 'a.b', []],
  ['{"https://example.org/groups":["a"]}', 'https://example.org/groups', ['a']],
  // RFC 8693 4.2: a list of words in one text.
  ['{"scope":"openid  email"}', 'scope', ['openid', 'email']],
  ['{"scp":["a b","c"]}', 'scp', ['a', 'b', 'c']],
])('%s has in %s the values %j', (claims, path, values) => {
  expect(valuesOf(parsed(claims), path)).toEqual(values)
})

test.each([
  ['{}', 'groups'],
  ['{"groups":null}', 'groups'],
  ['{"groups":{"a":"b"}}', 'groups'],
  ['{"groups":[{"a":"b"},["c"],null]}', 'groups'],
  ['{"groups":["a"]}', 'groups.0'],
  ['{"groups":["a"]}', 'groups.length'],
  ['{"groups":"abc"}', 'groups.length'],
  ['{"a":{"b":"c"}}', 'a.'],
  ['{"a":{"b":"c"}}', '.a.b'],
  ['{"a":"b"}', 'constructor.name'],
  ['{"a":"b"}', '__proto__'],
  ['{"a":"b"}', 'toString'],
  ['{"a":{}}', 'a.constructor.name'],
])('%s has no values in %s', (claims, path) => {
  expect(valuesOf(parsed(claims), path)).toEqual([])
})

test('a list of any texts has these texts, under any name', () => {
  assert(
    property(anyText({ minLength: 1 }), uniqueArray(anyText()), (name, texts) => {
      const claims = parsed(`{${JSON.stringify(name)}:${JSON.stringify(texts)}}`)
      const isWords = name === 'scope' || name === 'scp'
      if (!isWords) expect(valuesOf(claims, name)).toEqual(texts)
    }),
    { seed: 7, numRuns: 300 },
  )
})
