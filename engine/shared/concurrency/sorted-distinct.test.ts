import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortedDistinct } from './sorted-distinct.ts'

function sorted(texts: readonly string[]) {
  const steps = sortedDistinct(texts)
  for (let count = 1; ; count++) {
    const { done, value } = steps.next()
    if (done) return { value, count }
  }
}

test('it is what sort makes of the distinct texts', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 3 }), {
    maxLength: 3000,
    size: 'max',
  })
  const property = fc.property(texts, fc.nat(3), (some, times) => {
    const many = Array.from({ length: times * 2048 }, (_, i) => `${(i * 7919) % 5000}`)
    const all = [...some, ...many]
    expect(sorted(all).value).toEqual([...new Set(all)].sort())
  })
  fc.assert(property, { seed: 5, numRuns: 60 })
})

test('no step sorts more than a run', () => {
  const texts = Array.from({ length: 50_000 }, (_, i) => `${(i * 7919) % 50_021}`)
  const { count } = sorted(texts)
  expect(count).toBeGreaterThan(50_000 + 50_000 / 2048)
})
