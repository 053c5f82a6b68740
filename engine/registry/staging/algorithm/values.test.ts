import { expect, test } from 'vitest'
import { isNumeric, referencedKey, trimmed } from './values.ts'

test.each([
  ['', ''],
  ['a', 'a'],
  [' a b ', 'a b'],
  ['\t\na\0', 'a'],
  ['   ', ''],
  // Only characters up to the space are trimmed.
  ['\u00a0a', '\u00a0a'],
])('%j is trimmed to %j', (text, wanted) => {
  expect(trimmed(text)).toBe(wanted)
})

// From rule 7 of registry.md.
test.each(['0', '007', '-5', '1.5', '.5', '-.5'])('%s is a number', (text) => {
  expect(isNumeric(text)).toBe(true)
})

test.each(['', '-', '.', '5.', '1.2.3', '1e3', '+1', ' 1', 'X', '--1', '1-'])(
  '%j is no number',
  (text) => {
    expect(isNumeric(text)).toBe(false)
  },
)

test.each([
  ['{{a}}', 'a'],
  ['{{a b-c}}', 'a b-c'],
  ['{{}}', undefined],
  ['{a}', undefined],
  ['{{a', undefined],
  ['x{{a}}', undefined],
  ['{{a}}{{b}}', undefined],
])('%s refers to %s', (text, key) => {
  expect(referencedKey(text)).toBe(key)
})
