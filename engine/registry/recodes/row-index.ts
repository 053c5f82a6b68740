import type { Condition } from './table-text.ts'

/** Values are all numbers or all texts. Texts are ordered by code units. */
export type Value = number | string

const WORD_BITS = 32

/**
 * Finds the rows of a table that accept a value. The bounds of all ranges divide the values into classes. Each
 * class has a bit set of the rows that accept its values.
 */
export class RowIndex {
  /** The first value of each class except the lowest, in ascending order. */
  readonly #starts: readonly Value[]
  readonly #rows: readonly Uint32Array[]

  /**
   * Creates the index.
   * @param read parses a value in the form in which the table has it
   */
  constructor(conditions: readonly (Condition | undefined)[], read: (text: string) => Value) {
    const ofRows = conditions.map((condition) => condition && compile(condition, read))
    const starts = ofRows.flatMap(
      (row) =>
        row?.ranges.flatMap(({ low, end }) => (end === undefined ? [low] : [low, end])) ?? [],
    )
    this.#starts = [...new Set(starts)].sort((a, b) => (a < b ? -1 : 1))
    this.#rows = [undefined, ...this.#starts].map((value) =>
      bitsOf(ofRows.map((row) => row === undefined || accepts(row, value))),
    )
  }

  /** Returns a bit set of the rows that accept a value, the lowest bit first. */
  rowsOf(value: Value): Uint32Array {
    let low = 0
    let high = this.#starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#starts[middle] as Value) <= value) low = middle + 1
      else high = middle
    }
    return this.#rows[low] as Uint32Array
  }
}

/** Returns the index of the first row that is in all sets, or -1 if there is none. */
export function firstRow(sets: readonly Uint32Array[]): number {
  const [first = new Uint32Array(), ...others] = sets
  for (let word = 0; word < first.length; word++) {
    let bits = first[word] as number
    for (const other of others) bits &= other[word] as number
    if (bits !== 0) return word * WORD_BITS + lowestBit(bits)
  }
  return -1
}

const lowestBit = (bits: number) => WORD_BITS - 1 - Math.clz32(bits & -bits)

interface Compiled {
  readonly isExclusion: boolean
  /** `end` is the first value after the range. */
  readonly ranges: readonly { readonly low: Value; readonly end: Value | undefined }[]
}

function compile({ isExclusion, ranges }: Condition, read: (text: string) => Value): Compiled {
  return {
    isExclusion,
    ranges: ranges.map(({ low, high }) => ({
      low: read(low),
      end: high === undefined ? undefined : next(read(high)),
    })),
  }
}

/** Returns the next higher value. */
const next = (value: Value) => (typeof value === 'number' ? value + 1 : `${value}\0`)

/**
 * Tests a value.
 * @param value undefined stands for a value below all ranges
 */
function accepts({ isExclusion, ranges }: Compiled, value: Value | undefined): boolean {
  const isListed = ranges.some(
    ({ low, end }) => value !== undefined && low <= value && (end === undefined || value < end),
  )
  return isListed !== isExclusion
}

function bitsOf(flags: readonly boolean[]): Uint32Array {
  const bits = new Uint32Array(Math.ceil(flags.length / WORD_BITS))
  for (const [row, flag] of flags.entries()) {
    if (flag) bits[row >>> 5] = (bits[row >>> 5] as number) | (1 << (row & (WORD_BITS - 1)))
  }
  return bits
}
