import { expect, test } from 'vitest'
import { parseJsonText } from './json-text.ts'

const parse = (text: string) => parseJsonText(new TextEncoder().encode(text), 'body')

test('what is in texts is not counted', () => {
  const text = '[{,:"\\'.repeat(200_000)
  expect(parse(JSON.stringify({ text }))).toEqual({ text })
})

test('each bound is reached and not passed', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(parse(nested(128))).toBeDefined()
  expect(() => parse(nested(129))).toThrow('the body is nested deeper than 128 levels')
  expect(() => parse(`[${'1,'.repeat(500_001)}1]`)).toThrow('more than 500000 values')
  expect(() => parse(`{${'"a":1,'.repeat(100_001)}"a":1}`)).toThrow(
    'more than 100000 object members',
  )
})

test.each(['', '{', '{"a":', '[1,]', '"', '\\', 'undefined', "{'a':1}"])(
  '%j is refused',
  (text) => {
    expect(() => parse(text)).toThrow('the body is not valid JSON')
  },
)
