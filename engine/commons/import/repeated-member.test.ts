import { expect, test } from 'vitest'
import { repeatedMember } from './repeated-member.ts'

const found = (text: string) => repeatedMember(text, JSON.parse(text))

test.each<readonly [string, string | undefined]>([
  ['{"a":{"b":1,"\\u0062":2}}', 'b'],
  ['{"__proto__":{"b":1},"__proto__":2}', '__proto__'],
  ['{"":1,"":2}', ''],
  ['{"a":1,"a"\n\t:2}', 'a'],
  ['{"a\\\\":1,"b":"\\\\","a\\\\":2}', 'a\\'],
  ['{"\\"":1,"b":"\\\\\\"","\\"":2}', '"'],
  ['[{"a":1},{"a":2},{"b":{"a":3},"a":4}]', undefined],
  ['{"a":"\\"a\\":","b":"{\\"a\\":1","c":["a","a"]}', undefined],
])('%s', (text, name) => {
  expect(found(text)).toBe(name)
})

test('many levels are refused before they overflow the stack', () => {
  const levels = (pairs: number) => `${'{"a":['.repeat(pairs)}1${']}'.repeat(pairs)}`
  expect(found(levels(50))).toBeUndefined()
  for (const pairs of [51, 50_000]) {
    expect(() => found(levels(pairs))).toThrow('nested in more than 100 levels')
  }
})
