import type { FieldPath } from '../datasets/field-path.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import { type Bits, membersOf } from './bitset.ts'
import { countCodes, countLists } from './histogram.ts'
import { image } from './relation.ts'
import type { Selection } from './select.ts'
import { directOf, type Source, sourceOf } from './source.ts'
import { bitsOf, budgetOf, tallyRows } from './tally.ts'
import { walk } from './walk.ts'

/** Of the numbers that some rows reach; one that is reached twice counts twice. */
export interface Stats {
  readonly count: number
  readonly min: number | null
  readonly max: number | null
  readonly avg: number | null
  readonly sum: number
}

/** More distinct numbers than that are summed as they come instead of being counted first. */
const MOST_COUNTED = 1 << 16

/** The statistics of a number field over some rows (contract 3.4, 11.12). */
export function statsOf(field: FieldPath, rows: Selection, arrays: ReleaseArrays): Stats {
  const source = sourceOf(field, rows.size, arrays)
  const sums = new Sums()
  if (!source.column) return sums.stats()
  const { column, outer, inner, isOwn } = source
  const steps = outer.moves.length + inner.moves.length
  if (column.codes && isOwn && steps === 0 && !column.offsets) {
    const isMany = column.layout.distinct > MOST_COUNTED
    if (isMany && rows.bits) addMembers(column, column.codes, rows.bits, sums)
    else addCounts(column, tallyRows(field, rows, arrays).counts, sums)
    return sums.stats()
  }
  addCounts(column, countReached(source, rows), sums)
  return sums.stats()
}

/** How often each code is reached. */
function countReached(source: Source, rows: Selection): Uint32Array {
  const { column, outer, inner } = source
  const { distinct } = column.layout
  const bits = bitsOf(rows)
  const moves = [...outer.moves, ...inner.moves]
  // Down levels no element is reached twice.
  const isDown = moves.every((move) => move.kind === 'level' && !move.inverse)
  if (isDown && column.codes && column.offsets) {
    const elements = image({ moves, size: inner.size }, bits)
    return countLists(column.codes, column.offsets, elements, distinct)
  }
  const direct = directOf(source, rows.size, budgetOf(rows.count))
  if (direct) {
    const elements = image({ moves: direct.levels, size: direct.size }, bits)
    return countCodes(direct.lookup, elements, distinct)
  }
  const counts = new Uint32Array(distinct + 1)
  walk(source, membersOf(bits, 0, rows.count), ({ values }) => {
    for (let i = 0; i < values.length; i++) {
      const code = values.members[i] as number
      counts[code] = (counts[code] as number) + 1
    }
  })
  return counts
}

function addCounts({ numbers }: Source['column'], counts: Uint32Array, sums: Sums): void {
  if (!numbers) return
  for (let code = 1; code < counts.length; code++) {
    const count = counts[code] as number
    if (count > 0) sums.add(numbers[code - 1] as number, count)
  }
}

function addMembers(
  { numbers }: Source['column'],
  codes: NonNullable<Source['column']['codes']>,
  bits: Bits,
  sums: Sums,
): void {
  if (!numbers) return
  for (let w = 0; w < bits.length; w++) {
    const base = w << 5
    for (let word = bits[w] as number; word !== 0; word &= word - 1) {
      const code = codes[base + 31 - Math.clz32(word & -word)] as number
      if (code !== 0) sums.add(numbers[code - 1] as number, 1)
    }
  }
}

/** Adds up with the error kept apart (Neumaier), so the order of the numbers does not show. */
class Sums {
  #count = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  #sum = 0
  #error = 0

  add(value: number, times: number): void {
    const more = value * times
    const sum = this.#sum + more
    this.#error +=
      Math.abs(this.#sum) >= Math.abs(more) ? this.#sum - sum + more : more - sum + this.#sum
    this.#sum = sum
    this.#count += times
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
  }

  stats(): Stats {
    if (this.#count === 0) return { count: 0, min: null, max: null, avg: null, sum: 0 }
    const sum = this.#sum + this.#error
    return {
      ...{ count: this.#count, min: this.#min, max: this.#max },
      ...{ avg: sum / this.#count, sum },
    }
  }
}
