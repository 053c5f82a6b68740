import { FIXED_SCALE } from '../../analysis/expression/matrix-format.ts'

/** Result for a number that does not fit in 32 bits as ten-thousandths. `doubleOf` then parses it. */
export const NEEDS_DOUBLE = -1
/** Result for text that is not a number, or for a negative number. */
export const NO_VALUE = -2

/** Largest number that is stored. The next number marks a missing value. */
export const MOST_FIXED = 0xffff_fffe
/** Number of digits that a double represents exactly. */
const MAX_DIGITS = 15
const MAX_EXPONENT = 10_000
const POWERS = Array.from({ length: 23 }, (_, power) => 10 ** power)
const DECIMALS = Math.log10(FIXED_SCALE)

const ZERO = 0x30
const POINT = 0x2e
const MINUS = 0x2d
const PLUS = 0x2b

/**
 * Parses a decimal number of 0 or above to whole ten-thousandths, without rounding. `1.5`, `.5`, `2.50000`
 * and `1e-04` are numbers; `-0` and `NaN` are not.
 * @returns ten-thousandths, or NEEDS_DOUBLE or NO_VALUE
 */
export function readDecimal(bytes: Uint8Array, start: number, end: number): number {
  // Digits up to the last one that is not 0, and the number of zeros after that digit.
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
  // Power of ten that scales the digits to ten-thousandths.
  const power = DECIMALS + zeros - decimals + exponent
  if (significant > MAX_DIGITS || power < 0 || power > MAX_DIGITS) return NEEDS_DOUBLE
  const fixed = digits * POWERS[power]!
  return fixed <= MOST_FIXED ? fixed : NEEDS_DOUBLE
}

/** Parses an exponent. Returns NaN if the text is not an exponent. */
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

/** Parses a number that `readDecimal` recognised. Returns the nearest double, infinity if it is too large. */
export function doubleOf(bytes: Buffer, start: number, end: number): number {
  return Number(bytes.toString('latin1', start, end))
}
