import { ABSENT, FIXED_SCALE } from './matrix-format.ts'

// Binary logarithms of whole numbers of 32 bits: the leading bits choose an entry of a table, the
// others a third-degree correction. Math.log2 takes four times as long.

// A name of this module is a constant to the compiler, one of another module is looked up each time.
const ONE = FIXED_SCALE

const INDEX_BITS = 11
const ENTRIES = 1 << INDEX_BITS
/** Bits behind those of the index, below the leading one. */
const REST_BITS = 31 - INDEX_BITS
const REST_MASK = 2 ** REST_BITS - 1
const HALF_REST = 2 ** (REST_BITS - 1)

const LOGS = new Float64Array(ENTRIES)
const INVERSES = new Float64Array(ENTRIES)
for (let i = 0; i < ENTRIES; i++) {
  const middle = 1 + (i + 0.5) / ENTRIES
  LOGS[i] = Math.log2(middle)
  INVERSES[i] = 1 / (middle * 2 ** 31)
}

const FIRST = 1 / Math.LN2
const SECOND = -1 / (2 * Math.LN2)
const THIRD = 1 / (3 * Math.LN2)

/** What fastLog adds to the logarithm of a value and one. */
export const LOG_SCALE = Math.log2(FIXED_SCALE)

/** Greatest ten-thousandths whose sum with 10,000 has 32 bits. */
export const MAX_FAST = ABSENT - FIXED_SCALE

/**
 * How far fastLog may be from the logarithm: the next term of the series is below 1.3e-15, and the
 * few roundings of numbers below 32 make up 1e-14. Twice that, to be sure.
 */
export const FAST_LOG_ERROR = 2e-14

/**
 * log2 of a stored value and one, plus LOG_SCALE, within FAST_LOG_ERROR.
 * @param stored ten-thousandths up to MAX_FAST
 */
export function fastLog(stored: number): number {
  const whole = stored + ONE
  const zeros = Math.clz32(whole)
  const bits = whole << zeros
  const index = (bits >>> REST_BITS) & (ENTRIES - 1)
  const r = ((bits & REST_MASK) - HALF_REST) * INVERSES[index]!
  const correction = r * (FIRST + r * (SECOND + r * THIRD))
  return 31 - zeros + (LOGS[index]! + correction)
}

/** How far roughLog may be from the logarithm: half of an entry's width, and a rounding. */
export const ROUGH_LOG_ERROR = 1 / (2 * ENTRIES * Math.LN2) + 1e-12

/**
 * log2 of a stored value and one, plus LOG_SCALE, within ROUGH_LOG_ERROR: a third of fastLog's time.
 * @param stored ten-thousandths below 2^31
 */
export function roughLog(stored: number): number {
  const whole = (stored + ONE) | 0
  const zeros = Math.clz32(whole)
  return 31 - zeros + LOGS[((whole << zeros) >>> REST_BITS) & (ENTRIES - 1)]!
}

/** log2 of a stored value and one, as the definition has it: of the nearest double, then rounded. */
export function exactLog(stored: number): number {
  return Math.log2(stored / FIXED_SCALE + 1)
}
