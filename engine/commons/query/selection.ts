import { type Bits, fullBits, membersOf, newBits, setBit } from '../../shared/arrays/bitset.ts'

/** Some of a dataset's rows. */
export interface Selection {
  /** Rows of the dataset in all. */
  readonly size: number
  readonly count: number
  /** Absent: all of them. */
  readonly bits?: Bits | undefined
  /** The rows of few, in any order. */
  readonly listed?: Uint32Array | undefined
}

export const bitsOf = ({ bits, size }: Selection): Bits => bits ?? fullBits(size)

/** Listed rows sort faster than the words of a set are gone through, up to so many. */
const MAX_SORTED = 1024

/** Rows number `from` … `to - 1` in ascending order, counted from 0. */
export function ascendingRows(selection: Selection, from: number, to: number): Uint32Array {
  const { listed } = selection
  return listed && listed.length <= MAX_SORTED
    ? listed.slice().sort().slice(from, to)
    : membersOf(bitsOf(selection), from, to)
}

export const rowsOf = (selection: Selection): Uint32Array =>
  ascendingRows(selection, 0, selection.count)

/** Of a known number of rows, whose bits may be asked for never. */
export function lazySelection(
  size: number,
  count: number,
  bitsOfRows: () => Bits | undefined,
): Selection {
  let made: Bits | undefined
  return {
    size,
    count,
    get bits() {
      made ??= bitsOfRows()
      return made
    },
  }
}

/** Few rows, each once. */
export function listedSelection(size: number, listed: Uint32Array): Selection {
  let made: Bits | undefined
  return {
    size,
    count: listed.length,
    listed,
    get bits() {
      made ??= bitsWith(listed, size)
      return made
    },
  }
}

export function bitsWith(rows: Uint32Array, size: number): Bits {
  const bits = newBits(size)
  for (let i = 0; i < rows.length; i++) setBit(bits, rows[i]!)
  return bits
}
