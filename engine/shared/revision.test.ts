import { expect, test } from 'vitest'
import { requireHeld } from './revision.ts'

test.each([
  [undefined, undefined],
  [undefined, 3],
  ['any', 3],
  [['3'], 3],
  [['2', '3'], 3],
] as const)('%j lets an edit of revision %j through', (held, current) => {
  expect(() => requireHeld(held, current)).not.toThrow()
})

test.each([
  ['any', undefined, /does not exist/],
  [['3'], undefined, /does not exist/],
  [['undefined'], undefined, /does not exist/],
  [['2'], 3, /revision "3" by now/],
  [['03', ''], 3, /revision "3"/],
  [[], 3, /If-Match/],
] as const)('%j refuses an edit of revision %j', (held, current, message) => {
  expect(() => requireHeld(held, current)).toThrow(message)
})
