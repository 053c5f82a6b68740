/**
 * Formats a number like C's `%g`: six significant digits, ties to even, no trailing zeros. htslib 1.16 prints a
 * float in an optional field in this way. NaN may have a sign.
 */
export function printFloat(value: number, isNegative = hasMinus(value)): string {
  return printed(value, isNegative, printShort)
}

/**
 * Formats a number as htslib 1.16 prints the elements of a float array. Between 0.0001 and 999999, it truncates
 * after ten decimals and then rounds half up. Other numbers are formatted like printFloat.
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
/** Enough digits to distinguish a tie from a slightly larger number. A double has fewer. */
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
/** From each of these limits on, six significant digits have one decimal place less. */
const LIMITS = [0.001, 0.01, 0.1, 1, 10, 100, 1000, 1e4, 1e5]

function printCut(size: number): string {
  // Half of the last of six digits, in units of the tenth decimal.
  const half = 5 * 10 ** LIMITS.filter((limit) => size >= limit).length
  const units = String(BigInt(Math.trunc(size * 10 ** DECIMALS)) + BigInt(half))
  if (units.length <= DECIMALS) {
    return pointed(units.slice(0, DIGITS).padStart(DECIMALS - units.length + DIGITS + 1, '0'), 1)
  }
  const whole = units.length - DECIMALS
  return pointed(units.slice(0, Math.max(whole, DIGITS)), whole)
}

/** Inserts the decimal point after `whole` digits and removes trailing zeros. */
function pointed(digits: string, whole: number): string {
  const behind = digits.slice(whole).replace(/0+$/, '')
  return behind === '' ? digits.slice(0, whole) : `${digits.slice(0, whole)}.${behind}`
}
