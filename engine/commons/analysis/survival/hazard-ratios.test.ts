import { expect, test } from 'vitest'
import { hazardRatios } from './hazard-ratios.ts'
import { logRankTest } from './log-rank-test.ts'
import { partDonors } from './parted-donors.ts'

// test/commons/survival/peers.ci.test.ts compares with R's coxph and survdiff. These are cases that R leaves open.

/** Donors by time: the group of each counted from 1, negative if the donor is censored. */
function donorsOf(...groups: readonly number[]) {
  const table = {
    times: Float64Array.from(groups, (_, i) => i),
    deaths: Uint8Array.from(groups, (group) => (group > 0 ? 1 : 0)),
  }
  const groupOf = Uint16Array.from(groups, Math.abs)
  return [{ size: Math.max(...groupOf), groupOf }, table] as const
}

test('a group without a death has no ratio and does not change those of the others', () => {
  const [ratioOfTwo] = hazardRatios(...donorsOf(1, 2, 1, 1, 2, 2, 1, 2)).slice(1)
  const [first, second, third] = hazardRatios(...donorsOf(1, 2, -3, 1, 1, -3, 2, 2, 1, 2))
  expect([first, third]).toEqual([undefined, undefined])
  expect(second?.ratio).toBeCloseTo(ratioOfTwo?.ratio ?? Number.NaN, 12)
})

test('without a finite ratio, or without a death in the first group, there are no ratios', () => {
  // All donors of the first group die before any of the second, so that the likelihood rises without end.
  expect(hazardRatios(...donorsOf(1, 1, 1, 2, 2, 2))).toEqual([undefined, undefined])
  expect(hazardRatios(...donorsOf(-1, 2, -1, 2))).toEqual([undefined, undefined])
})

test('groups that are never at risk together are not tested', () => {
  // The only death among donors of both groups is that of all who are left.
  expect(logRankTest(...donorsOf(-1, 2))).toBeUndefined()
  expect(logRankTest(...donorsOf(1))).toBeUndefined()
})

test('groups that share a donor are not parted', () => {
  const bits = (...words: number[]) => Int32Array.from(words)
  expect(partDonors([bits(0b011), bits(0b110)], 3)).toBeUndefined()
  expect(partDonors([bits(0b011), bits(0b100)], 4)?.groupOf).toEqual(Uint16Array.of(1, 1, 2, 0))
})
