import type { TableName } from '../datasets/define.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { Codes } from '../release/layout.ts'
import type { ReleaseArrays } from '../release/loaded.ts'
import { type CodeSet, isNegative, tableOf } from './codes.ts'
import { columnOf, type Layouts } from './field-cost.ts'
import type { Leaf } from './filter-tree.ts'
import { countCodes, countSelected } from './histogram.ts'
import type { Selection } from './selection.ts'
import { type Direct, directOf, type Lookup, offsetsOver, sourceOf } from './source.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

/**
 * A field on nested levels or linked records, joined to all rows of a table. Each row has a set number, which
 * identifies the set of codes of its elements. There are few distinct sets, so rows are counted and tested by
 * set number only. The arrays are in shared memory for worker threads.
 */
export interface Joined {
  /** Set number of each row. Undefined if there are too many sets. */
  readonly numbers?: Codes
  /** Rows sorted by set number, then by row. */
  readonly order: Uint32Array
  /** Index in `order` of the first row of each set number, followed by the end. */
  readonly starts: Uint32Array
  /** Start in `codes` of each set's codes, then the end. Up to the greatest code, set n is code n alone. */
  readonly ends: Uint32Array
  readonly codes: Uint32Array
  /** Whether conditions bind to elements. If so, a set contains 0 when an element lacks the field. */
  readonly isBound: boolean
}

/** Fields joined to the rows of one table, keyed by path. */
export type Joins = ReadonlyMap<string, Joined>

/** Maximum number of sets per field. A field with more is not joined. */
const MAX_SETS = 4096

/** Marks a field that cannot be joined. */
const NONE = new Uint32Array(0)
const UNJOINED: Joined = Object.freeze({
  order: NONE,
  starts: NONE,
  ends: NONE,
  codes: NONE,
  isBound: false,
})

/** Returns the maximum size in bytes of a field joined to a number of rows. */
export const bytesOfJoined = (rows: number): number => 6 * rows + 16 * MAX_SETS

/** Returns whether joining a field to the rows of a table may save time. */
export function isJoinable(field: FieldPath, layouts: Layouts): boolean {
  const column = columnOf(field, layouts)
  if (!column || column.multi || column.distinct >= MAX_SETS || field.region) return false
  return field.steps.length > 0 && field.steps.every(({ kind }) => kind !== 'reverse')
}

/** Joins a field to all rows of a table. The arrays must include those of `keysOfField`. */
export function joinField(table: TableName, field: FieldPath, arrays: ReleaseArrays): Joined {
  const size = arrays.rows(table)
  const source = sourceOf(field, size, arrays)
  const direct = source.column && directOf(source, { size, count: size })
  if (!source.column || !direct) return UNJOINED
  const { column, bound } = source
  return join(direct, { rows: size, distinct: column.layout.distinct, isBound: bound > 0 })
}

/**
 * Joins a field. Code 0 in a row's set means that one of its elements lacks the field. If conditions do not bind
 * to elements, it means that the row has no value.
 */
export function join(
  { levels, lookup }: Direct,
  { rows, distinct, isBound }: { rows: number; distinct: number; isBound: boolean },
): Joined {
  const sets: (readonly number[])[] = Array.from({ length: distinct + 1 }, (_, code) => [code])
  const numbers = new Uint16Array(new SharedArrayBuffer(2 * rows))
  const several = new Sets(sets, isBound)
  const offsets = levels.length > 0 ? offsetsOver(levels) : undefined
  const { codes, via } = lookup
  for (let row = 0; row < rows; row++) {
    const from = offsets ? offsets[row]! : row
    const end = offsets ? offsets[row + 1]! : row + 1
    if (end - from === 1) {
      numbers[row] = codes[via ? via[from]! : from] as number
    } else {
      numbers[row] = several.numberOf(lookup, from, end)
      if (sets.length > MAX_SETS) return UNJOINED
    }
  }
  const narrow = sets.length <= 256 ? new Uint8Array(new SharedArrayBuffer(rows)) : numbers
  if (narrow !== numbers) narrow.set(numbers)
  return { numbers: narrow, ...orderOf(narrow, sets.length), ...listsOf(sets), isBound }
}

/** Concatenates lists into one array and records where each list ends. */
function listsOf(sets: readonly (readonly number[])[]): Pick<Joined, 'ends' | 'codes'> {
  const ends = sharedNumbers(sets.length + 1)
  for (const [number, set] of sets.entries()) ends[number + 1] = ends[number]! + set.length
  const codes = sharedNumbers(ends[sets.length]!)
  codes.set(sets.flat())
  return { ends, codes }
}

function orderOf(numbers: Codes, count: number): Pick<Joined, 'order' | 'starts'> {
  const counts = countCodes({ codes: numbers }, undefined, count - 1)
  const starts = sharedNumbers(count + 1)
  for (let number = 0; number < count; number++) {
    starts[number + 1] = starts[number]! + counts[number]!
  }
  const order = sharedNumbers(numbers.length)
  const next = starts.slice()
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row]!
    order[next[number]!] = row
    next[number] = next[number]! + 1
  }
  return { order, starts }
}

const sharedNumbers = (length: number) => new Uint32Array(new SharedArrayBuffer(4 * length))

/** Assigns numbers to sets of codes. */
class Sets {
  readonly #sets: (readonly number[])[]
  readonly #isBound: boolean
  readonly #numbers = new Map<string | number, number>()

  constructor(sets: (readonly number[])[], isBound: boolean) {
    this.#sets = sets
    this.#isBound = isBound
  }

  /** Returns the number of the set of codes that a range of elements has. */
  numberOf({ codes, via }: Lookup, from: number, end: number): number {
    const first = codes[via ? via[from]! : from] as number
    if (end - from === 2) {
      const second = codes[via ? via[from + 1]! : from + 1] as number
      if (first === second) return first
      const [low, high] = first < second ? [first, second] : [second, first]
      return this.#known(low * MAX_SETS + high, () => [low, high])
    }
    const all = new Set<number>()
    for (let i = from; i < end; i++) all.add(codes[via ? via[i]! : i] as number)
    const list = [...all].sort((a, b) => a - b)
    return this.#known(list.join(), () => list)
  }

  #known(key: string | number, codesOf: () => readonly number[]): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#numberOf(this.#counting(codesOf()))
    this.#numbers.set(key, number)
    return number
  }

  /** Returns the codes under which a row with this set of codes is counted. */
  #counting(codes: readonly number[]): readonly number[] {
    if (this.#isBound) return codes
    const values = codes.filter((code) => code !== 0)
    return values.length > 0 ? values : [0]
  }

  #numberOf(codes: readonly number[]): number {
    const [only] = codes
    if (codes.length === 1 && only !== undefined) return only
    return this.#sets.push(codes) - 1
  }
}

/** Counts the selected rows for each of their codes, or returns undefined if the field is not joined. */
export function countJoined(
  { numbers, starts, ends, codes }: Joined,
  rows: Selection,
  distinct: number,
): Uint32Array | undefined {
  if (!numbers) return undefined
  const counts = new Uint32Array(distinct + 1)
  const isAll = rows.count === rows.size
  const byNumber = isAll ? undefined : countSelected({ codes: numbers }, rows, ends.length - 2)
  for (let number = 0; number + 1 < ends.length; number++) {
    const count = byNumber ? byNumber[number]! : starts[number + 1]! - starts[number]!
    if (count === 0) continue
    for (let i = ends[number]!; i < ends[number + 1]!; i++) {
      const code = codes[i]!
      counts[code] = counts[code]! + count
    }
  }
  return counts
}

/**
 * Returns a table with 1 for each set number whose rows match a condition on the `wanted` codes. If the
 * condition binds to elements, one element must match. Otherwise, all values of the row are considered together.
 */
export function passingNumbers(
  { ends, codes, isBound }: Joined,
  leaf: Pick<Leaf, 'op'>,
  wanted: CodeSet,
  distinct: number,
): Uint8Array {
  const isWanted = tableOf(wanted, distinct)
  const passing = new Uint8Array(ends.length - 1)
  const isOfElements = isBound && leaf.op !== 'excludeifany'
  const negative = isNegative(leaf)
  const sought = negative && isOfElements ? 0 : 1
  const found = negative && !isOfElements ? 0 : 1
  for (let number = 0; number < passing.length; number++) {
    let passes = 1 - found
    for (let i = ends[number]!; i < ends[number + 1]!; i++) {
      if (isWanted[codes[i]!] === sought) passes = found
    }
    passing[number] = passes
  }
  return passing
}
