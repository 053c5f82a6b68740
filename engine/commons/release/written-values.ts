import type { NumberArray } from '../../shared/arrays/array-schema.ts'
import { ESCAPED } from './layout.ts'

/** Properties of a column's values, collected by its encoder. */
export interface WrittenValues {
  /** Bitmap of the elements that are null. */
  readonly nulls: Int32Array
  readonly nullCount: number
  /** Number of elements without a value. Includes null elements. */
  readonly without: number
  /** Whether the codes of each element, in their order, contain everything that its documents do. */
  readonly isWhole: boolean
  readonly hasSeveral: boolean
  /** Bitmap of the upper-case letters in values. It is needed because the dictionary has the values in lower case. */
  readonly upper?: Uint8Array | undefined
  /** Union of the ESCAPED bits of all values. */
  readonly escaped: number
  /** Whether all numbers are safe integers. */
  readonly isInteger: boolean
}

/** Returns the union of ESCAPED bits for the bytes of texts. */
export function escapedIn(bytes: NumberArray | undefined): number {
  let escaped = 0
  for (let i = 0; bytes && i < bytes.length; i++) escaped |= CLASSES[bytes[i]!]!
  return escaped
}

/** For each byte, the ESCAPED bits: which output formats must escape or replace it. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte)
  const isBreak = '\r\n'.includes(char)
  return (
    (isBreak || char === '\t' ? ESCAPED.tsv : 0) |
    (isBreak || ',"'.includes(char) ? ESCAPED.csv : 0) |
    (byte < 0x20 || '"\\'.includes(char) ? ESCAPED.json : 0)
  )
})
