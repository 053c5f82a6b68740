import type { Scratch } from '../executor.ts'
import { MOST_FAST } from './log-table.ts'
import { ABSENT, FIXED_SCALE, type MatrixValues } from './matrix-format.ts'
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

/** Bits of a value and one behind the leading one that tell its class. */
const CLASS_BITS = 6
const CLASS_MASK = (1 << CLASS_BITS) - 1
/** 10,000 has 14 bits. */
const LEAST_BITS = 14
const CLASSES = (33 - LEAST_BITS) << CLASS_BITS

/**
 * Counts values by class, as a logarithm would put them: the class of the middle has few, and only
 * those are put in order. Three times as fast as partitioning all of them.
 */
function middleOfFixed(row: Uint32Array, scratch: Scratch): MiddleValues {
  const counts = words(scratch, 'expression.counts', CLASSES + 1).fill(0)
  const { buffer, byteOffset } = scratch.bytes('expression.classes', 2 * row.length)
  const classes = new Uint16Array(buffer, byteOffset, row.length)
  for (let i = 0; i < row.length; i++) {
    const at = classOf(row[i] as number)
    classes[i] = at
    counts[at] = (counts[at] as number) + 1
  }
  const present = row.length - (counts[CLASSES] as number)
  if (present === 0) return NONE
  const lowerRank = (present - 1) >>> 1
  const upperRank = present >>> 1
  let before = 0
  let first = 0
  while (before + (counts[first] as number) <= lowerRank) before += counts[first++] as number
  let last = first
  let through = before + (counts[first] as number)
  while (through <= upperRank) through += counts[++last] as number
  const few = words(scratch, 'expression.few', through - before + 1)
  let filled = 0
  for (let i = 0; i < row.length; i++) {
    const at = classes[i] as number
    if (at < first || at > last) continue
    few[filled++] = row[i] as number
  }
  return middleOf(few, filled, { lower: lowerRank - before, upper: upperRank - before })
}

function classOf(value: number): number {
  // Beyond 32 bits the sum wraps; such values are the greatest, and the last class is for none.
  if (value > MOST_FAST) return value === ABSENT ? CLASSES : CLASSES - 1
  const whole = value + FIXED_SCALE
  const zeros = Math.clz32(whole)
  const bits = whole << zeros
  return ((32 - LEAST_BITS - zeros) << CLASS_BITS) | ((bits >>> (31 - CLASS_BITS)) & CLASS_MASK)
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
  if (present === 0) return NONE
  return middleOf(values, present, { lower: (present - 1) >>> 1, upper: present >>> 1 })
}

function middleOf(
  values: MatrixValues,
  count: number,
  ranks: { readonly lower: number; readonly upper: number },
): MiddleValues {
  const lower = selectRank(values, count, ranks.lower)
  if (ranks.upper === ranks.lower) return { lower, upper: lower }
  let upper = values[ranks.upper] as number
  for (let i = ranks.upper + 1; i < count; i++) upper = Math.min(upper, values[i] as number)
  return { lower, upper }
}

/** Numbers of 32 bits in memory that the thread keeps. */
export function words(scratch: Scratch, use: string, length: number): Uint32Array {
  const { buffer, byteOffset } = scratch.bytes(use, 4 * length)
  return new Uint32Array(buffer, byteOffset, length)
}
