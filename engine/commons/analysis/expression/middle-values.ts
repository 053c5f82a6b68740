import type { Scratch } from '../../../shared/executor.ts'
import { ABSENT, type MatrixValues } from './matrix-format.ts'
import { selectRank } from './select-rank.ts'

/** The two middle values of a row, equal if the number of values is odd. NaN without values. */
interface MiddleValues {
  readonly lower: number
  readonly upper: number
}

const NONE: MiddleValues = { lower: Number.NaN, upper: Number.NaN }

/**
 * Returns the two middle values of a row without missing values. The logarithm is monotonic, so their
 * logarithms are the middle logarithms.
 */
export function middleValues(row: MatrixValues, scratch: Scratch): MiddleValues {
  return row instanceof Uint32Array ? middleOfFixed(row, scratch) : middleOfDoubles(row, scratch)
}

function middleOfFixed(row: Uint32Array, scratch: Scratch): MiddleValues {
  return middleBetween(row, scratch) ?? middleOfPresent(row, scratch)
}

function middleOfPresent(row: Uint32Array, scratch: Scratch): MiddleValues {
  const values = words(scratch, 'expression.middle', row.length)
  let present = 0
  for (let i = 0; i < row.length; i++) {
    const value = row[i]!
    if (value === ABSENT) continue
    values[present++] = value
  }
  return middleOf(values, present)
}

/** Minimum row length for the sampling method; a shorter row is processed directly in the same time. */
const WORTH_A_SAMPLE = 100
/** Expected rank distance between the medians of sample and row, in square roots of the sample size. */
const LIKELY_OFF = 1.3

/**
 * Finds the middle values by sampling. In one pass without branches, it collects the values between two
 * quantiles of a sample. Returns undefined if the middle values are not among the collected ones.
 */
function middleBetween(row: Uint32Array, scratch: Scratch): MiddleValues | undefined {
  if (row.length < WORTH_A_SAMPLE) return undefined
  const size = 2 * Math.floor(Math.sqrt(row.length))
  const step = Math.floor(row.length / size)
  const sample = words(scratch, 'expression.sample', size)
  for (let i = 0; i < size; i++) sample[i] = row[i * step]!
  sample.sort()
  const off = Math.ceil(LIKELY_OFF * Math.sqrt(size))
  const low = sample[Math.max((size >>> 1) - off, 0)]!
  const width = (sample[Math.min((size >>> 1) + off, size - 1)]! - low) >>> 0
  const values = words(scratch, 'expression.middle', row.length + 1)
  const none = ABSENT
  let inside = 0
  let lower = 0
  let absent = 0
  for (let i = 0; i < row.length; i++) {
    const value = row[i]!
    values[inside] = value
    inside += Number((value - low) >>> 0 <= width)
    lower += Number(value < low)
    absent += Number(value === none)
  }
  const present = row.length - absent
  const isThere = lower <= (present - 1) >>> 1 && present >>> 1 < lower + inside
  // If missing values reach the middle of the sample, the collected values include missing ones.
  return isThere && low + width < none ? middleOf(values, inside, present, lower) : undefined
}

function middleOfDoubles(row: Float64Array, scratch: Scratch): MiddleValues {
  const { buffer, byteOffset } = scratch.bytes('expression.middle', 8 * row.length)
  const values = new Float64Array(buffer, byteOffset, row.length)
  let present = 0
  for (let i = 0; i < row.length; i++) {
    const value = row[i]!
    if (Number.isNaN(value)) continue
    values[present++] = value
  }
  return middleOf(values, present)
}

/**
 * Returns the middle values of a row with `all` values from a part of it, the first `count` of `values`,
 * which are reordered. `before` values of the row are less than the part's.
 */
function middleOf(values: MatrixValues, count: number, all = count, before = 0): MiddleValues {
  if (count === 0) return NONE
  const rank = ((all - 1) >>> 1) - before
  const lower = selectRank(values, count, rank)
  const upperRank = (all >>> 1) - before
  if (upperRank === rank) return { lower, upper: lower }
  // All values after the rank are greater than or equal to the one at the rank.
  let upper = values[upperRank]!
  for (let i = upperRank + 1; i < count; i++) upper = Math.min(upper, values[i]!)
  return { lower, upper }
}

/** Returns an array of 32-bit integers in the thread's reusable scratch memory. */
export function words(scratch: Scratch, use: string, length: number): Uint32Array {
  const { buffer, byteOffset } = scratch.bytes(use, 4 * length)
  return new Uint32Array(buffer, byteOffset, length)
}

/** Returns an array of doubles in the thread's reusable scratch memory. */
export function doubles(scratch: Scratch, use: string, length: number): Float64Array {
  const { buffer, byteOffset } = scratch.bytes(use, 8 * length)
  return new Float64Array(buffer, byteOffset, length)
}
