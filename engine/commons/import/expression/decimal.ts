import { FIXED_SCALE } from '../../analysis/expression/matrix-format.ts'

/** A number that ten-thousandths in 32 bits cannot hold; `doubleOf` gives it. */
export const NEEDS_DOUBLE = -1
/** No number, or one below zero. */
export const NO_VALUE = -2

/** The highest value is taken: it stands for no value. */
const MOST = 0xffff_fffe
/** As many digits as are exact in a double however they are put together. */
const MAX_DIGITS = 15
const MAX_EXPONENT = 10_000
const POWERS = Array.from({ length: 23 }, (_, power) => 10 ** power)
const DECIMALS = Math.log10(FIXED_SCALE)

const ZERO = 0x30
const POINT = 0x2e
const MINUS = 0x2d
const PLUS = 0x2b

/**
 * The ten-thousandths of a decimal number of 0 or above, read digit by digit; no rounding takes
 * place. `1.5`, `.5`, `2.50000`, `1e-04` are numbers, `-0` and `NaN` are none.
 * @returns NEEDS_DOUBLE or NO_VALUE when there are none
 */
export function readDecimal(bytes: Uint8Array, start: number, end: number): number {
  // The digits up to the last one that is not 0, and how many zeros came behind it.
  let digits = 0
  let significant = 0
  let zeros = 0
  let read = 0
  let decimals = 0
  let pointAt = -1
  let at = start
  for (; at < end; at++) {
    const digit = bytes[at]! - ZERO
    if (digit >= 0 && digit <= 9) {
      read++
      if (pointAt >= 0) decimals++
      if (digit === 0) {
        zeros++
        continue
      }
      significant += significant === 0 ? 1 : zeros + 1
      if (significant <= MAX_DIGITS) {
        digits = digits * (digits === 0 ? 1 : POWERS[zeros + 1]!) + digit
      }
      zeros = 0
    } else if (bytes[at] === POINT && pointAt < 0) pointAt = at
    else break
  }
  if (read === 0) return NO_VALUE
  const exponent = at < end ? readExponent(bytes, at, end) : 0
  if (Number.isNaN(exponent)) return NO_VALUE
  if (significant === 0) return 0
  // What is to be multiplied with so that ten-thousandths come out.
  const power = DECIMALS + zeros - decimals + exponent
  if (significant > MAX_DIGITS || power < 0 || power > MAX_DIGITS) return NEEDS_DOUBLE
  const fixed = digits * POWERS[power]!
  return fixed <= MOST ? fixed : NEEDS_DOUBLE
}

/** NaN when the text from here on is no exponent. */
function readExponent(bytes: Uint8Array, start: number, end: number): number {
  if ((bytes[start]! | 0x20) !== 0x65) return Number.NaN
  let at = start + 1
  const isBelow = bytes[at] === MINUS
  if (isBelow || bytes[at] === PLUS) at++
  if (at === end) return Number.NaN
  let exponent = 0
  for (; at < end; at++) {
    const digit = bytes[at]! - ZERO
    if (!(digit >= 0 && digit <= 9)) return Number.NaN
    exponent = Math.min(exponent * 10 + digit, MAX_EXPONENT)
  }
  return isBelow ? -exponent : exponent
}

/** The double nearest to a number that `readDecimal` found; infinite when it is beyond all of them. */
export function doubleOf(bytes: Buffer, start: number, end: number): number {
  return Number(bytes.toString('latin1', start, end))
}
