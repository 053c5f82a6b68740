import type { Scratch } from '../../../shared/executor.ts'
import { exactLog, fastLog, LOG_SCALE, MAX_FAST } from './log-table.ts'
import { ABSENT, FIXED_SCALE, type MatrixValues } from './matrix-format.ts'
import { doubles } from './middle-values.ts'

/** Smallest standard deviation for which fast logarithms give twelve correct digits. */
const MIN_FAST_SPREAD = 0.05

/**
 * Returns the population standard deviation of log2(value + 1) over a row (data-commons.md 6.4), or NaN
 * without values. Two passes, with a relative error of about 1e-14.
 */
export function spreadOf(row: MatrixValues, scratch: Scratch): number {
  const logs = doubles(scratch, 'expression.logs', row.length)
  if (!(row instanceof Uint32Array)) return deviationOf(logs, logsOfDoubles(row, logs))
  const spread = deviationOf(logs, fastLogs(row, logs))
  if (!(spread < MIN_FAST_SPREAD)) return spread
  return deviationOf(logs, exactLogs(row, logs))
}

function fastLogs(row: Uint32Array, logs: Float64Array): number {
  let count = 0
  for (let i = 0; i < row.length; i++) {
    const value = row[i]!
    if (value <= MAX_FAST) logs[count++] = fastLog(value)
    else if (value !== ABSENT) logs[count++] = Math.log2(value / FIXED_SCALE + 1) + LOG_SCALE
  }
  return count
}

function exactLogs(row: Uint32Array, logs: Float64Array): number {
  let count = 0
  for (let i = 0; i < row.length; i++) {
    const value = row[i]!
    if (value !== ABSENT) logs[count++] = exactLog(value)
  }
  return count
}

function logsOfDoubles(row: Float64Array, logs: Float64Array): number {
  let count = 0
  for (let i = 0; i < row.length; i++) {
    const value = row[i]!
    if (!Number.isNaN(value)) logs[count++] = Math.log2(value + 1)
  }
  return count
}

/** Computes a standard deviation with four independent sums: an addition need not wait for the previous one. */
function deviationOf(logs: Float64Array, count: number): number {
  const even = count - (count % 4)
  const first = logs[0]!
  let [a, b, c, d] = [0, 0, 0, 0]
  for (let i = 0; i < even; i += 4) {
    a += logs[i]! - first
    b += logs[i + 1]! - first
    c += logs[i + 2]! - first
    d += logs[i + 3]! - first
  }
  for (let i = even; i < count; i++) a += logs[i]! - first
  const mean = first + (a + b + (c + d)) / count
  ;[a, b, c, d] = [0, 0, 0, 0]
  for (let i = 0; i < even; i += 4) {
    const p = logs[i]! - mean
    const q = logs[i + 1]! - mean
    const r = logs[i + 2]! - mean
    const s = logs[i + 3]! - mean
    a += p * p
    b += q * q
    c += r * r
    d += s * s
  }
  for (let i = even; i < count; i++) a += (logs[i]! - mean) ** 2
  return Math.sqrt((a + b + (c + d)) / count)
}
