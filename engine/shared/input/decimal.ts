const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i

/**
 * The number that a text writes in decimal digits; `undefined` for any other text, and for numbers that no
 * double holds.
 *
 * @example decimalIn('1e+05') // 100000
 */
export function decimalIn(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Digits that a whole number of 64 bits has at most. */
const MAX_DIGITS = 19
/** Characters of a number that anybody writes. */
const MAX_LENGTH = 64

/**
 * The digits of a whole number, however it is written; `undefined` for one that is not whole or has more
 * than 64 bits hold.
 *
 * @example wholeDigits('34.0') // '34'
 * @example wholeDigits('1e+05') // '100000'
 */
export function wholeDigits(text: string): string | undefined {
  if (text.length > MAX_LENGTH || !DECIMAL.test(text)) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^\+?(-?)(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const zeros = digits.length - significant.length + Number(exponent) - fraction.length
  if (zeros < 0 || significant.length + zeros > MAX_DIGITS) return undefined
  return `${sign}${significant}${'0'.repeat(zeros)}`
}
