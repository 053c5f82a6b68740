import { z } from '@hono/zod-openapi'
import { expect, test } from 'vitest'
import { texts } from './texts.ts'
import { validate } from './validate.ts'

const schema = z.object({ regions: texts('regions') })

test('one text, several, none and an empty one all make a list', () => {
  expect(validate(schema, { regions: 'chr1' })).toEqual({ regions: ['chr1'] })
  expect(validate(schema, { regions: ['chr1', 'chr2'] })).toEqual({ regions: ['chr1', 'chr2'] })
  expect(validate(schema, { other: 1 })).toEqual({ regions: [] })
  expect(validate(schema, { regions: '' })).toEqual({ regions: [] })
})

test.each([
  [
    { regions: 5 },
    'regions',
    'expected string, received number; or expected array, received number',
  ],
  [{ regions: ['chr1', 5] }, 'regions[1]', 'expected string, received number'],
  [{ regions: [{ a: [] }] }, 'regions[0]', 'expected string, received object'],
  [
    { regions: {} },
    'regions',
    'expected string, received object; or expected array, received object',
  ],
])('%o is refused with its place', (given, at, message) => {
  expect(() => validate(schema, given)).toThrow(expect.objectContaining({ at, message }))
})
