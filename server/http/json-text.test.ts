import { expect, test } from 'vitest'
import { parseJsonText } from './json-text.ts'

const parse = (text: string) => parseJsonText(new TextEncoder().encode(text), 'body')

test('characters inside strings are not counted', () => {
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

test.each([
  ['', 1],
  ['{', 2],
  ['{"a":', 6],
  ['[1,]', 4],
  ['"', 2],
  ['\\', 1],
  ['undefined', 1],
  ["{'a':1}", 2],
])('%j is refused with its line and column', (text, column) => {
  const told = `the body is not valid JSON at line 1, column ${column}`
  expect(() => parse(text)).toThrow(told)
  expect(() => parseJsonText(text, 'body')).toThrow(told)
})

test('a text beyond a bound is read no further', () => {
  // The text beyond the bound would be rejected for its nesting.
  const deep = '['.repeat(1000)
  expect(() => parse(`[${'0,'.repeat(500_001)}${deep}`)).toThrow('has more than 500000 values')
  const members = `{${'"a":0,'.repeat(100_001)}"b":${deep}`
  expect(() => parse(members)).toThrow('has more than 100000 object members')
})
