import { expect, test } from 'vitest'
import { requireFewContents } from './bundle-members.ts'

test('the bundles of a request have at most twice as many files as one may have', () => {
  expect(() => requireFewContents(20_000)).not.toThrow()
  const tooLarge = expect.objectContaining({ code: 'too_large', at: 'bulk_object_ids' })
  expect(() => requireFewContents(20_001)).toThrow(tooLarge)
})
