import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { atOnce } from '../../shared/concurrency/at-once.ts'
import { SortedValues, type Value } from './sorted-values.ts'

const inOrder = (values: SortedValues<Value>) =>
  Array.from(values.inOrder, (code) => values.value(code))

describe('values', () => {
  test('are in order after each settling, numbers before texts, and keep their codes', () => {
    // Some thousand values at a time are sorted in runs and merged.
    const batch = fc
      .tuple(fc.array(fc.oneof(fc.integer(), fc.string())), fc.nat(40))
      .map(([some, times]) => some.flatMap((one) => countedFrom(one, times)))
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 4 }), (batches) => {
        const values = new SortedValues<Value>()
        const codes = new Map<Value, number>()
        for (const some of batches) {
          for (const one of some) codes.set(one, values.code(one))
          atOnce(values.settle())
          const numbers = [...codes.keys()].filter((one) => typeof one === 'number')
          const texts = [...codes.keys()].filter((one) => typeof one === 'string')
          expect(inOrder(values)).toEqual([...numbers.sort((a, b) => a - b), ...texts.sort()])
          for (const [one, code] of codes) expect(values.find(one)).toBe(code)
        }
        expect(values.size).toBe(codes.size)
      }),
      { seed: 8, numRuns: 60 },
    )
  })

  test('that come while others are put in order are in order as well', () => {
    const values = new SortedValues<number>()
    for (let i = 0; i < 5_000; i++) values.code((i * 7_919) % 5_003)
    const steps = values.settle()
    for (let i = 0; !steps.next().done; i++) {
      values.code(10_000 - i)
      if (i % 3 === 0) atOnce(values.settle())
    }
    const sorted = inOrder(values)
    expect(sorted).toHaveLength(values.size)
    expect(sorted).toEqual((sorted as number[]).toSorted((a, b) => a - b))
    expect(Array.from(values.inOrder, (code) => values.ranks()[code])).toEqual(
      sorted.map((_value, rank) => rank),
    )
  })

  test('that are retained have codes in order', () => {
    const values = new SortedValues<string>()
    for (const one of ['d', 'a', 'c', 'b']) values.code(one)
    atOnce(values.settle())
    const retained = atOnce(values.retain((code) => values.value(code) !== 'c'))
    expect(inOrder(retained.values)).toEqual(['a', 'b', 'd'])
    expect(Array.from(retained.values.inOrder)).toEqual([0, 1, 2])
    expect(Array.from(retained.codes)).toEqual([3, 1, 0, 2])
  })
})

function countedFrom(value: Value, times: number): Value[] {
  return Array.from({ length: times }, (_, i) =>
    typeof value === 'number' ? value + i : value + i,
  )
}
