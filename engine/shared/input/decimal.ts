const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i

/**
 * Parses a decimal number. Returns `undefined` for any other text, and for numbers that are too large for a
 * double.
 * @example decimalIn('1e+05') // 100000
 */
export function decimalIn(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Maximum number of digits of a 64-bit integer. */
const MAX_DIGITS = 19
/** Matches thousands after a dot, which would be read as no fraction. */
const THOUSANDS = /^[-+]?[1-9]\d{0,2}\.000$/
/** Longest accepted number, in characters. */
const MAX_LENGTH = 64

/**
 * Returns the digits of an integer in any decimal notation, or `undefined` if the number is not an integer, is
 * too large for 64 bits, or may have a dot before thousands, as in 1.000 in German.
 * @example wholeDigits('34.0') // '34'
 * @example wholeDigits('1e+05') // '100000'
 */
export function wholeDigits(text: string): string | undefined {
  if (text.length > MAX_LENGTH || !DECIMAL.test(text) || THOUSANDS.test(text)) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^\+?(-?)(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const zeros = digits.length - significant.length + Number(exponent) - fraction.length
  if (zeros < 0 || significant.length + zeros > MAX_DIGITS) return undefined
  return `${sign}${significant}${'0'.repeat(zeros)}`
}
