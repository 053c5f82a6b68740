import { ABSENT, FIXED_SCALE } from '../../analysis/expression/matrix-format.ts'

/**
 * Returns the double that is nearest to a number of ten-thousandths. The division is rounded correctly, because
 * both operands are exact.
 */
export const asDouble = (fixed: number): number =>
  fixed === ABSENT ? Number.NaN : fixed / FIXED_SCALE

/** Returns the number of ten-thousandths whose nearest double is given, or ABSENT for NaN. */
export const asFixed = (value: number): number =>
  Number.isNaN(value) ? ABSENT : Math.round(value * FIXED_SCALE)

/** Returns whether a double survives conversion to ten-thousandths and back. */
export function isFixed(value: number): boolean {
  const fixed = asFixed(value)
  return Number.isNaN(value) || (fixed < ABSENT && asDouble(fixed) === value)
}
