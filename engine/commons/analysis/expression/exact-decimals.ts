/** Largest magnitude for which multiplying by DECIMALS in doubles is accurate enough to round. */
const MAX_QUICK = 2 ** 30
const DECIMALS = 100_000
/** Upper bound of the rounding error of multiplying by DECIMALS in doubles. */
const QUICK_ERROR = 2 ** -6

/**
 * Formats a finite number with five decimals like C's `printf("%.5f")`: rounds the exact binary value to
 * nearest, ties to even. A negative number that rounds to zero keeps its sign.
 *
 * @example fiveDecimals(0.015625) // '0.01562'
 */
export function fiveDecimals(value: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const magnitude = Math.abs(value)
  const product = magnitude * DECIMALS
  const whole = Math.floor(product)
  const rest = product - whole
  const isClear = magnitude < MAX_QUICK && Math.abs(rest - 0.5) > QUICK_ERROR
  const rounded = isClear ? BigInt(whole + (rest > 0.5 ? 1 : 0)) : exactlyRounded(magnitude)
  const digits = String(rounded).padStart(6, '0')
  return `${sign}${digits.slice(0, -5)}.${digits.slice(-5)}`
}

/** Returns the number times 100,000, rounded to an integer in exact arithmetic. */
function exactlyRounded(magnitude: number): bigint {
  const bits = new BigUint64Array(Float64Array.of(magnitude).buffer)[0] ?? 0n
  const exponent = Number(bits >> 52n)
  const fraction = bits & 0xf_ffff_ffff_ffffn
  // A number is `significand * 2 ** power`. Subnormal numbers have no implicit leading bit.
  const significand = exponent === 0 ? fraction : fraction | (1n << 52n)
  const power = Math.max(exponent, 1) - 1075
  const product = significand * BigInt(DECIMALS)
  if (power >= 0) return product << BigInt(power)
  const shift = BigInt(-power)
  const whole = product >> shift
  const rest = product - (whole << shift)
  const half = 1n << (shift - 1n)
  const isUp = rest > half || (rest === half && (whole & 1n) === 1n)
  return isUp ? whole + 1n : whole
}
