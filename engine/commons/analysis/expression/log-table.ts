import { ABSENT, FIXED_SCALE } from './matrix-format.ts'

// Binary logarithms of 32-bit integers by table: the leading bits select an entry, the remaining bits a
// third-degree correction. Four times as fast as Math.log2.

// The constant is copied, because V8 inlines constants of the same module but not imported ones.
const ONE = FIXED_SCALE

const INDEX_BITS = 11
const ENTRIES = 1 << INDEX_BITS
/** Number of mantissa bits that are not part of the table index. */
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

/** Offset that fastLog and roughLog add to log2(value + 1). */
export const LOG_SCALE = Math.log2(FIXED_SCALE)

/** Largest stored value that fastLog accepts: adding 10,000 to it still fits in 32 bits. */
export const MAX_FAST = ABSENT - FIXED_SCALE

/**
 * Returns log2(value + 1) + LOG_SCALE of a stored value, with an error below 2e-14. The first omitted term of
 * the series is below 1.3e-15, and rounding errors add 1e-14; the bound is about twice their sum.
 * @param stored value in ten-thousandths, up to MAX_FAST
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

/** Error bound of roughLog: half the width of a table entry, plus one rounding error. */
export const ROUGH_LOG_ERROR = 1 / (2 * ENTRIES * Math.LN2) + 1e-12

/**
 * Returns log2(value + 1) + LOG_SCALE of a stored value, with an error below ROUGH_LOG_ERROR. Three times as
 * fast as fastLog.
 * @param stored value in ten-thousandths, below 2^31
 */
export function roughLog(stored: number): number {
  const whole = (stored + ONE) | 0
  const zeros = Math.clz32(whole)
  return 31 - zeros + LOGS[((whole << zeros) >>> REST_BITS) & (ENTRIES - 1)]!
}

/** Returns log2(value + 1) of a stored value by Math.log2 in double precision. */
export function exactLog(stored: number): number {
  return Math.log2(stored / FIXED_SCALE + 1)
}
