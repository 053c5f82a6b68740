/**
 * A number as C prints it by `%g`: six significant digits, of two that are as near the even one, no zeros
 * behind them. htslib 1.16 prints the float of an optional field so. What is no number has a sign, too.
 */
export function printFloat(value: number, isNegative = hasMinus(value)): string {
  return printed(value, isNegative, printShort)
}

/**
 * As htslib 1.16 prints the floats of an array: between 0.0001 and 999999 it cuts the number off behind
 * ten decimals and rounds a half up; beyond these as printFloat.
 */
export function printElement(value: number, isNegative = hasMinus(value)): string {
  return printed(value, isNegative, (size) =>
    size >= 0.0001 && size <= 999999 ? printCut(size) : printShort(size),
  )
}

const hasMinus = (value: number) => value < 0 || Object.is(value, -0)

function printed(value: number, isNegative: boolean, print: (size: number) => string): string {
  const sign = isNegative ? '-' : ''
  const size = Math.abs(value)
  if (Number.isNaN(size)) return `${sign}nan`
  if (size === Number.POSITIVE_INFINITY) return `${sign}inf`
  return size === 0 ? `${sign}0` : sign + print(size)
}

const DIGITS = 6
/** Digits that tell a half from what is a little more: a double has fewer. */
const EXACT_DIGITS = 40

function printShort(size: number): string {
  const exact = size.toExponential(EXACT_DIGITS).replace('.', '')
  const isHalf = /^50*e/.test(exact.slice(DIGITS))
  const isEven = Number(exact[DIGITS - 1]) % 2 === 0
  const rounded = size.toExponential(DIGITS - 1).replace('.', '')
  const digits = (isHalf && isEven ? exact : rounded).slice(0, DIGITS)
  const exponent = Number((isHalf && isEven ? exact : rounded).split('e')[1])
  if (exponent < -4 || exponent >= DIGITS) {
    const sign = exponent < 0 ? '-' : '+'
    return `${pointed(digits, 1)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  if (exponent >= 0) return pointed(digits, exponent + 1)
  return pointed(digits.padStart(DIGITS - exponent, '0'), 1)
}

const DECIMALS = 10
/** From each on, six digits reach one decimal less. */
const LIMITS = [0.001, 0.01, 0.1, 1, 10, 100, 1000, 1e4, 1e5]

function printCut(size: number): string {
  // Half of what the last of six digits is worth, in units of the tenth decimal.
  const half = 5 * 10 ** LIMITS.filter((limit) => size >= limit).length
  const units = String(BigInt(Math.trunc(size * 10 ** DECIMALS)) + BigInt(half))
  if (units.length <= DECIMALS) {
    return pointed(units.slice(0, DIGITS).padStart(DECIMALS - units.length + DIGITS + 1, '0'), 1)
  }
  const whole = units.length - DECIMALS
  return pointed(units.slice(0, Math.max(whole, DIGITS)), whole)
}

/** Digits with a point behind so many of them, and without the zeros at their end. */
function pointed(digits: string, whole: number): string {
  const behind = digits.slice(whole).replace(/0+$/, '')
  return behind === '' ? digits.slice(0, whole) : `${digits.slice(0, whole)}.${behind}`
}
