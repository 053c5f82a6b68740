import type { Bits } from '../../shared/arrays/bitset.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { Codes } from '../release/layout.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import { bitsOf, rowsOf, type Selection } from './selection.ts'
import { type Source, sourceOf } from './source.ts'
import { tallyRows } from './tally.ts'
import { walk } from './walk.ts'
import { weighCodes } from './weights.ts'

/** Of the numbers that some rows reach; one that is reached twice counts twice. */
export interface Stats {
  readonly count: number
  readonly min: number | null
  readonly max: number | null
  readonly avg: number | null
  readonly sum: number
}

/** More distinct numbers than that are added up as they come instead of being counted first. */
const MAX_COUNTED = 1 << 16

/** The statistics of a number field over some rows (data-commons.md 3.4, 11.12). */
export function statsOf(field: FieldPath, rows: Selection, arrays: ReleaseArrays): Stats {
  const source = sourceOf(field, rows.size, arrays)
  const { column } = source
  if (!column?.numbers) return EMPTY
  const { codes, offsets, numbers } = column
  if (codes && !offsets && source.isOwn && source.moves.length === 0) {
    return numbers.length > MAX_COUNTED
      ? addMembers(numbers, codes, bitsOf(rows))
      : addCounts(numbers, tallyRows(field, rows, arrays).counts)
  }
  return addCounts(numbers, weighCodes(source, rows) ?? countWalking(source, rows))
}

/** How often each code is reached. */
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

/** Adds up sums of 32 numbers with the rounding error kept apart (Neumaier). */
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
