import { expect, test } from 'vitest'
import { bandwidthOf, outlinesOf } from './outline.ts'
import { summaryOf } from './summary.ts'

// R: bw.nrd0(c(1,1,2,3,3,5,8,13)), bw.nrd0(c(4,4)), bw.nrd0(c(1,1,1,1,9))
test.each([
  [[1, 1, 2, 3, 3, 5, 8, 13], 1.772473],
  [[4, 4], 3.133982],
  [[1, 1, 1, 1, 9], 2.333745],
])('the bandwidth of %j is that of R', (values, expected) => {
  expect(bandwidthOf(Float64Array.from(values))).toBeCloseTo(expected, 6)
})

test('a violin is one outline without gaps, and the group with fewer expressing cells is thinner', () => {
  const groupOf = (group: string, values: readonly number[]) => ({
    group,
    ...summaryOf('EGFR', { cells: values.map((value, at) => ({ cell_id: `${at}`, value })) }),
  })
  const values = [1, 1, 2, 3, 3, 5, 8, 13]
  const all = groupOf('all', values)
  const half = groupOf('half', [...values, 0, 0, 0, 0, 0, 0, 0, 0])
  const none = groupOf('none', [0, 0])
  const outlines = outlinesOf([all, half, none], 13, 0.9)
  const of = (name: string) => outlines.filter(({ group }) => group === name)
  expect(of('none')).toEqual([])
  expect(Math.max(...of('all').map((one) => one.half))).toBeCloseTo(0.9, 12)
  expect(of('half').map((one) => one.half)).toEqual(of('all').map((one) => one.half / 2))
  const steps = of('all')
    .slice(1)
    .map(({ value }, at) => value - (of('all')[at]?.value ?? 0))
  expect(Math.max(...steps)).toBeCloseTo(13 / 96, 9)
  expect(Math.min(...of('all').map((one) => one.half))).toBeGreaterThan(0)
})
