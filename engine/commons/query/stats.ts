import type { Bits } from '../../shared/arrays/bitset.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { Codes } from '../release/layout.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import { bitsOf, rowsOf, type Selection } from './selection.ts'
import { type Source, sourceOf } from './source.ts'
import { tallyRows } from './tally.ts'
import { walk } from './walk.ts'
import { weighCodes } from './weights.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/** Statistics of the numbers in a set of rows. A number that occurs twice in a row counts twice. */
interface Stats {
  readonly count: number
  readonly min: number | null
  readonly max: number | null
  readonly avg: number | null
  readonly sum: number
}

/** Maximum number of distinct numbers to count first. With more, numbers are added to the sum one by one. */
const MAX_COUNTED = 1 << 16

/** Returns the statistics of a number field over the selected rows (data-commons.md 3.4, 11.12). */
export function statsOf(field: FieldPath, rows: Selection, arrays: ReleaseArrays): Stats {
  const source = sourceOf(field, rows.size, arrays)
  const { column } = source
  if (!column?.numbers) return EMPTY
  const { codes, numbers } = column
  if (codes && isPlain(source) && numbers.length > MAX_COUNTED) {
    return addMembers(numbers, codes, bitsOf(rows))
  }
  return addCounts(numbers, countCodes(source, field, rows, arrays))
}

/** Returns whether the column is the rows' own, with at most one number per row. */
const isPlain = ({ column, isOwn, moves }: Source): boolean =>
  column.codes !== undefined && !column.offsets && isOwn && moves.length === 0

/** Counts how often the selected rows have each code of a column. */
function countCodes(
  source: Source,
  field: FieldPath,
  rows: Selection,
  arrays: ReleaseArrays,
): Uint32Array {
  if (isPlain(source)) return tallyRows(field, rows, arrays).counts
  return weighCodes(source, rows) ?? countWalking(source, rows)
}

/** Moments and quartiles of the numbers in a set of rows. Without numbers, all but the count and sums are null. */
interface Summary extends Stats {
  readonly sum_of_squares: number
  /** Population variance (the divisor is the count). */
  readonly variance: number | null
  readonly std_deviation: number | null
  readonly quartile_1: number | null
  readonly median: number | null
  readonly quartile_3: number | null
}

/**
 * Returns the moments and quartiles of a number field over the selected rows (portal.md 4.4). Quartiles are
 * interpolated linearly, like type 7 of R's `quantile` and NumPy's default.
 */
export function summaryOf(field: FieldPath, rows: Selection, arrays: ReleaseArrays): Summary {
  const source = sourceOf(field, rows.size, arrays)
  const { column } = source
  if (!column?.numbers) return summarise(new Float64Array(0), new Uint32Array(1))
  return summarise(column.numbers, countCodes(source, field, rows, arrays))
}

function summarise(numbers: Float64Array, counts: Uint32Array): Summary {
  const stats = addCounts(numbers, counts)
  const { count, avg } = stats
  const [squares, deviations] = [new Sum(), new Sum()]
  for (let code = 1; code < counts.length; code++) {
    const times = counts[code]!
    if (times === 0) continue
    const number = numbers[code - 1]!
    squares.add(number * number * times)
    deviations.add((number - (avg ?? 0)) ** 2 * times)
  }
  const variance = count === 0 ? null : deviations.total / count
  const at = (part: number) =>
    count === 0 ? null : quantileOf(numbers, counts, (count - 1) * part)
  return {
    ...stats,
    sum_of_squares: squares.total,
    variance,
    std_deviation: variance === null ? null : Math.sqrt(variance),
    quartile_1: at(0.25),
    median: at(0.5),
    quartile_3: at(0.75),
  }
}

/** @param place 0-based position among the sorted numbers; a fraction interpolates between two */
function quantileOf(numbers: Float64Array, counts: Uint32Array, place: number): number {
  const below = Math.floor(place)
  let before = 0
  let code = 1
  while (before + counts[code]! <= below) before += counts[code++]!
  const lower = numbers[code - 1]!
  if (place === below) return lower
  let next = code
  // There is a next number, because the position lies between two numbers.
  while (before + counts[next]! <= below + 1) before += counts[next++]!
  return lower + (numbers[next - 1]! - lower) * (place - below)
}

/** Counts how often each code is reached, row by row. */
function countWalking(source: Source, rows: Selection): Uint32Array {
  const counts = new Uint32Array(source.column.layout.distinct + 1)
  walk(source, rowsOf(rows), ({ values }) => {
    for (let i = 0; i < values.length; i++) {
      const code = values.members[i]!
      counts[code] = counts[code]! + 1
    }
  })
  return counts
}

const EMPTY: Stats = Object.freeze({ count: 0, min: null, max: null, avg: null, sum: 0 })

/** Sum with Neumaier's compensation for rounding errors. Partial sums of 32 numbers are added to it. */
class Sum {
  #sum = 0
  #error = 0

  add(more: number): void {
    const sum = this.#sum + more
    this.#error +=
      Math.abs(this.#sum) >= Math.abs(more) ? this.#sum - sum + more : more - sum + this.#sum
    this.#sum = sum
  }

  get total(): number {
    return this.#sum + this.#error
  }
}

function addCounts(numbers: Float64Array, counts: Uint32Array): Stats {
  const sum = new Sum()
  let count = 0
  for (let from = 1; from < counts.length; from += 32) {
    const end = Math.min(from + 32, counts.length)
    let some = 0
    for (let code = from; code < end; code++) {
      const times = counts[code]!
      count += times
      some += numbers[code - 1]! * times
    }
    sum.add(some)
  }
  const least = counts.findIndex((times, code) => code > 0 && times > 0)
  const greatest = counts.findLastIndex((times) => times > 0)
  return statsBetween(numbers, { least, greatest, count, sum: sum.total })
}

function addMembers(numbers: Float64Array, codes: Codes, members: Bits): Stats {
  const sum = new Sum()
  let count = 0
  let least = numbers.length
  let greatest = 0
  for (let w = 0; w < members.length; w++) {
    const base = w << 5
    let some = 0
    for (let word = members[w]!; word !== 0; word &= word - 1) {
      const code = codes[base + 31 - Math.clz32(word & -word)]!
      if (code === 0) continue
      if (code < least) least = code
      if (code > greatest) greatest = code
      count++
      some += numbers[code - 1]!
    }
    sum.add(some)
  }
  return statsBetween(numbers, { least, greatest, count, sum: sum.total })
}

interface Totals {
  readonly count: number
  readonly sum: number
  /** Codes of the smallest and the largest number. */
  readonly least: number
  readonly greatest: number
}

function statsBetween(numbers: Float64Array, { count, sum, least, greatest }: Totals): Stats {
  if (count === 0) return EMPTY
  const [min, max] = [numbers[least - 1]!, numbers[greatest - 1]!]
  return { count, min, max, avg: sum / count, sum }
}
