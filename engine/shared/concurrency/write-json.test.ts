import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeJson } from './write-json.ts'

test('an answer is written as JSON.stringify writes it', async () => {
  const property = fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (value) => {
    expect(await writeJson(value)).toBe(JSON.stringify(value))
  })
  await fc.assert(property, { seed: 1, numRuns: 200 })
  const rows = Array.from({ length: 5000 }, (_, i) => ({ i, list: [{ text: `"${i}` }], none: [] }))
  expect(await writeJson({ data: { rows, empty: {} } })).toBe(
    JSON.stringify({ data: { rows, empty: {} } }),
  )
})
