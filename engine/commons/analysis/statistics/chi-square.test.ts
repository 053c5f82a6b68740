import { expect, test } from 'vitest'
import { chiSquareUpperTail } from './chi-square.ts'

// test/survival/peers.test.ts compares with pchisq over 200 degrees of freedom.

test('both pairs of the interface’s documents are met', () => {
  // data-commons.md 6.8: 0.8577589072612264 → 0.35436660628146; and 0.817 → 0.366 as a portal shows it.
  expect(chiSquareUpperTail(0.8577589072612264, 1)).toBeCloseTo(0.35436660628146, 14)
  expect(chiSquareUpperTail(0.817, 1)).toBeCloseTo(0.366, 3)
})

test.each([
  // Rscript -e 'cat(sprintf("%.16g", pchisq(X, DF, lower.tail = FALSE)))'
  [1e-300, 1, 1],
  [3.84145882069412, 1, 0.05000000000000018],
  [5, 5, 0.4158801869955079],
  [1400, 2, 9.859676543759771e-305],
  [1300, 200, 1.943686334793388e-160],
  [100, 199, 0.9999999995447523],
])('of %d with %d degrees of freedom it is %d', (value, degrees, expected) => {
  expect(Math.abs(chiSquareUpperTail(value, degrees) / expected - 1)).toBeLessThan(1e-12)
})

test('it ends at 1 and 0, and what lies below the least double is 0', () => {
  for (const degrees of [1, 2, 3, 200, 9999]) {
    expect(chiSquareUpperTail(0, degrees)).toBe(1)
    expect(chiSquareUpperTail(1e6, degrees)).toBe(0)
    expect(chiSquareUpperTail(Number.POSITIVE_INFINITY, degrees)).toBe(0)
  }
})
