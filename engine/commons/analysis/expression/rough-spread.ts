import type { Scratch } from '../../../shared/executor.ts'
import { ROUGH_LOG_ERROR, roughLog } from './log-table.ts'
import { type MedianFloor, reachesFloor } from './median-floor.ts'
import { spreadOf } from './spread.ts'

/**
 * Error bound of roughSpreadOf. The error of a standard deviation is at most the root mean square of the errors
 * of its values. In addition, summing squares in one pass adds an error of up to 1e-9 to the variance, which the
 * square root covers.
 */
export const ROUGH_SPREAD_ERROR = ROUGH_LOG_ERROR + Math.sqrt(1e-9)

/** Subtracted before squaring: the middle of possible logarithms (13 to 31), so that squares stay accurate. */
const ORIGIN = 20

/**
 * Approximates the population standard deviation of log2(value + 1) over a row, four times as fast as
 * spreadOf. Returns NaN without values or if the median is below the bound.
 */
export function roughSpreadOf(row: Uint32Array, floor: MedianFloor, scratch: Scratch): number {
  // Values are read as signed integers. Missing values and values of 2^31 or more are then negative.
  const values = new Int32Array(row.buffer, row.byteOffset, row.length)
  const below = floor.fixed - 1
  let signs = row.length === 0 || floor.fixed > MAX_SIGNED ? -1 : 0
  let reaching = 0
  let sum = 0
  let squares = 0
  let otherSum = 0
  let otherSquares = 0
  // There are two independent sums, so that an addition need not wait for the result of the previous one.
  for (let i = row.length & 1; i < values.length; i += 2) {
    const one = values[i]!
    const other = values[i + 1]!
    signs |= one | other
    reaching += ((below - one) >>> 31) + ((below - other) >>> 31)
    const log = roughLog(one) - ORIGIN
    const otherLog = roughLog(other) - ORIGIN
    sum += log
    squares += log * log
    otherSum += otherLog
    otherSquares += otherLog * otherLog
  }
  if (row.length & 1) {
    const first = values[0]!
    signs |= first
    reaching += (below - first) >>> 31
    const log = roughLog(first) - ORIGIN
    sum += log
    squares += log * log
  }
  if (signs < 0 || 2 * reaching === row.length) {
    return reachesFloor(row, floor, scratch) ? spreadOf(row, scratch) : Number.NaN
  }
  if (2 * reaching < row.length) return Number.NaN
  const mean = (sum + otherSum) / row.length
  return Math.sqrt(Math.max((squares + otherSquares) / row.length - mean * mean, 0))
}

const MAX_SIGNED = 2 ** 31 - 1
