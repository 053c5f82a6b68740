import { ABSENT, FIXED_SCALE } from '../../analysis/expression/matrix-format.ts'

/** The double nearest to a number of ten-thousandths: both are exact before the one division. */
export const asDouble = (fixed: number): number =>
  fixed === ABSENT ? Number.NaN : fixed / FIXED_SCALE

/** The ten-thousandths that a double is the nearest one to, or ABSENT for NaN. */
export const asFixed = (value: number): number =>
  Number.isNaN(value) ? ABSENT : Math.round(value * FIXED_SCALE)

/** Whether a double can be kept as ten-thousandths and given back as it was. */
export function isFixed(value: number): boolean {
  const fixed = asFixed(value)
  return Number.isNaN(value) || (fixed < ABSENT && asDouble(fixed) === value)
}
