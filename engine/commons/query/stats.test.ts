import { expect, test } from 'vitest'
import { newBits, setBit } from '../../shared/arrays/bitset.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { ColumnLayout } from '../release/layout.ts'
import type { Column, ReleaseArrays } from '../release/loaded.ts'
import { statsOf } from './stats.ts'

const field: FieldPath = {
  path: 'file_size',
  type: 'long',
  steps: [],
  column: { dataset: 'files', path: 'file_size' },
}

/** Files with distinct sizes. The code of a row is (row * 7) % rows, so code 0 means a missing size. */
function sizes(rows: number, value: (code: number) => number): ReleaseArrays {
  const codes = Uint32Array.from({ length: rows }, (_, row) => (row * 7) % rows)
  const order = Uint32Array.from(codes.keys()).sort(
    (a, b) => (codes[a]! || rows) - (codes[b]! || rows),
  )
  const layout: ColumnLayout = {
    level: '',
    kind: 'number',
    distinct: rows - 1,
    multi: false,
    identity: false,
    ordered: true,
  }
  const counts = new Uint32Array(rows).fill(1)
  const numbers = Float64Array.from({ length: rows - 1 }, (_, i) => value(i + 1))
  const column: Column = { layout, codes, order, counts, numbers, dictionary: undefined as never }
  return {
    rows: () => rows,
    column: () => column,
    level: () => undefined,
    link: () => undefined,
    members: () => new Int32Array(0),
  }
}

test.each([2, 3, 50, 1000])('every %ith of many different numbers', (step) => {
  const rows = 100_003
  const arrays = sizes(rows, (code) => code / 10)
  const bits = newBits(rows)
  const values: number[] = []
  for (let row = 0; row < rows; row += step) {
    setBit(bits, row)
    const code = (row * 7) % rows
    if (code > 0) values.push(code)
  }
  const selection = { size: rows, count: values.length + 1, bits }
  const { count, min, max, avg, sum } = statsOf(field, selection, arrays)
  const total = values.reduce((all, value) => all + value, 0)
  expect({ count, min, max }).toEqual({
    count: values.length,
    min: Math.min(...values) / 10,
    max: Math.max(...values) / 10,
  })
  expect(sum).toBeCloseTo(total / 10, 6)
  expect(avg).toBe(sum / count)
})

test('rounding errors do not pile up', () => {
  const rows = 90_000
  const arrays = sizes(rows, () => 0.1)
  const { sum } = statsOf(field, { size: rows, count: rows }, arrays)
  // A naive sum would be wrong from the tenth digit on.
  expect(Math.abs(sum - 8999.9)).toBeLessThan(1e-11)
})
