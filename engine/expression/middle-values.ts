import type { Scratch } from '../executor.ts'
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
  const values = words(scratch, 'expression.middle', row.length)
  let present = 0
  for (let i = 0; i < row.length; i++) {
    const value = row[i] as number
    if (value === ABSENT) continue
    values[present++] = value
  }
  return middleOf(values, present)
}

function middleOfDoubles(row: Float64Array, scratch: Scratch): MiddleValues {
  const { buffer, byteOffset } = scratch.bytes('expression.middle', 8 * row.length)
  const values = new Float64Array(buffer, byteOffset, row.length)
  let present = 0
  for (let i = 0; i < row.length; i++) {
    const value = row[i] as number
    if (Number.isNaN(value)) continue
    values[present++] = value
  }
  return middleOf(values, present)
}

/** Of the first values; they are put into another order. */
function middleOf(values: MatrixValues, count: number): MiddleValues {
  if (count === 0) return NONE
  const lower = selectRank(values, count, (count - 1) >>> 1)
  const upperRank = count >>> 1
  if (2 * upperRank !== count) return { lower, upper: lower }
  // What is not in its place behind the rank is greater.
  let upper = values[upperRank] as number
  for (let i = upperRank + 1; i < count; i++) upper = Math.min(upper, values[i] as number)
  return { lower, upper }
}

/** Numbers of 32 bits in memory that the thread keeps. */
export function words(scratch: Scratch, use: string, length: number): Uint32Array {
  const { buffer, byteOffset } = scratch.bytes(use, 4 * length)
  return new Uint32Array(buffer, byteOffset, length)
}
