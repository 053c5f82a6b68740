import { type Bits, fullBits, membersOf, newBits, setBit } from '../../shared/arrays/bitset.ts'

/** A subset of a dataset's rows. */
export interface Selection {
  /** Number of all rows of the dataset. */
  readonly size: number
  readonly count: number
  /** Bitmap of the selected rows. Undefined means all rows. */
  readonly bits?: Bits | undefined
  /** The selected rows as a list, if using it is cheaper than using the bitmap. */
  readonly listed?: Uint32Array | undefined
}

export const bitsOf = ({ bits, size }: Selection): Bits => bits ?? fullBits(size)

/** Up to this many listed rows are sorted. For more, reading the bitmap is faster. */
const MAX_SORTED = 1024

/** Returns the selected rows from position `from` to `to` (exclusive), ascending. */
export function ascendingRows(selection: Selection, from: number, to: number): Uint32Array {
  const { listed } = selection
  return listed && listed.length <= MAX_SORTED
    ? listed.slice().sort().slice(from, to)
    : membersOf(bitsOf(selection), from, to)
}

export const rowsOf = (selection: Selection): Uint32Array =>
  ascendingRows(selection, 0, selection.count)

/** Creates a selection with a known count, whose bitmap is computed on first use. */
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

/** Creates a selection from a few distinct rows. */
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
