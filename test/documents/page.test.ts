import { expect, test } from 'vitest'
import { shows } from './page.ts'

test.each([
  ['a\nb', 'a\nb\n', true],
  ['a\nb', 'a\nc\n', false],
  ['a\nb', 'a \nb  \n', true],
  ['a b', 'a  b\n', false],
  ['a', 'a\nb\n', false],
  ['...\nb', 'a\na\nb\n', true],
  ['...\nb', 'b\n', true],
  ['...\nb', 'a\nc\n', false],
  ['a\n...', 'a\n', true],
  ['a ... c.', 'a b c.\n', true],
  ['a ... c.', 'a\nb c.\n', false],
  ['a ... c.', 'a b cd\n', false],
])('%j shows %j: %s', (printed, output, isShown) => {
  expect(shows(printed, output)).toBe(isShown)
})
