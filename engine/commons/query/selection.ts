import { type Bits, fullBits, membersOf } from '../../shared/arrays/bitset.ts'

/** Some of a dataset's rows. */
export interface Selection {
  /** Rows of the dataset in all. */
  readonly size: number
  readonly count: number
  /** Absent: all of them. */
  readonly bits?: Bits | undefined
}

export const bitsOf = ({ bits, size }: Selection): Bits => bits ?? fullBits(size)

export const rowsOf = (selection: Selection): Uint32Array =>
  membersOf(bitsOf(selection), 0, selection.count)
