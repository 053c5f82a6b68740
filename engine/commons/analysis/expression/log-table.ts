import { ABSENT, FIXED_SCALE } from './matrix-format.ts'

// Binary logarithms of 32-bit integers: the leading bits select a table entry, the others a third-degree
// correction. Math.log2 takes four times as long.

// Constants of this module are inlined; imported ones are looked up on each use.
const ONE = FIXED_SCALE

const INDEX_BITS = 11
const ENTRIES = 1 << INDEX_BITS
/** Bits after those of the index, below the leading bit. */
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

/** Constant that fastLog adds to log2(value + 1). */
export const LOG_SCALE = Math.log2(FIXED_SCALE)

/** Largest stored value whose sum with 10,000 fits in 32 bits. */
export const MAX_FAST = ABSENT - FIXED_SCALE

/**
 * Returns log2(value + 1) + LOG_SCALE of a stored value, with an error below 2e-14: the next term of the
 * series is below 1.3e-15, and a few roundings of numbers below 32 add 1e-14. Doubled for safety.
 * @param stored ten-thousandths, up to MAX_FAST
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

/** Error bound of roughLog: half the width of an entry, and one rounding. */
export const ROUGH_LOG_ERROR = 1 / (2 * ENTRIES * Math.LN2) + 1e-12

/**
 * Returns log2(value + 1) + LOG_SCALE of a stored value, within ROUGH_LOG_ERROR, in a third of fastLog's
 * time.
 * @param stored ten-thousandths, below 2^31
 */
export function roughLog(stored: number): number {
  const whole = (stored + ONE) | 0
  const zeros = Math.clz32(whole)
  return 31 - zeros + LOGS[((whole << zeros) >>> REST_BITS) & (ENTRIES - 1)]!
}

/** Returns log2(value + 1) of a stored value by definition: of the nearest double, then rounded. */
export function exactLog(stored: number): number {
  return Math.log2(stored / FIXED_SCALE + 1)
}
