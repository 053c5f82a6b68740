import type { Scratch } from '../../../shared/executor.ts'
import { ABSENT, type MatrixValues } from './matrix-format.ts'
import { selectRank } from './select-rank.ts'

/** The two values in the middle of a row, equal ones where there is but one; NaN without values. */
export interface MiddleValues {
  readonly lower: number
  readonly upper: number
}

const NONE: MiddleValues = { lower: Number.NaN, upper: Number.NaN }

/**
 * The middle of what a row has, absent values left out. Logarithms keep the order, so those of the
 * two are the middle of the row's logarithms.
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

/** In shorter rows, a sample takes as long as the row itself. */
const WORTH_A_SAMPLE = 100
/** How many roots of the sample's size its middle is likely to be off the row's. */
const LIKELY_OFF = 1.3

/**
 * The middle among the values between two of a sample, collected in one pass without a branch on
 * values, which nobody could foretell; `undefined` when it is not there.
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
  // Where absent values reach the middle of the sample, they are inside as well.
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
 * Of the first values; they are put into another order. They may be some of `all`, of which `before`
 * smaller ones are left out and the middle is not.
 */
function middleOf(values: MatrixValues, count: number, all = count, before = 0): MiddleValues {
  if (count === 0) return NONE
  const rank = ((all - 1) >>> 1) - before
  const lower = selectRank(values, count, rank)
  const upperRank = (all >>> 1) - before
  if (upperRank === rank) return { lower, upper: lower }
  // What is not in its place behind the rank is greater.
  let upper = values[upperRank]!
  for (let i = upperRank + 1; i < count; i++) upper = Math.min(upper, values[i]!)
  return { lower, upper }
}

/** Numbers of 32 bits in memory that the thread keeps. */
export function words(scratch: Scratch, use: string, length: number): Uint32Array {
  const { buffer, byteOffset } = scratch.bytes(use, 4 * length)
  return new Uint32Array(buffer, byteOffset, length)
}

/** As words, of doubles. */
export function doubles(scratch: Scratch, use: string, length: number): Float64Array {
  const { buffer, byteOffset } = scratch.bytes(use, 8 * length)
  return new Float64Array(buffer, byteOffset, length)
}
