import type { NumberArray } from '../../shared/arrays/array-schema.ts'
import { ESCAPED } from './layout.ts'

/** What the encoder of a column saw of how its values are written. */
export interface WrittenValues {
  /** Elements with null. */
  readonly nulls: Int32Array
  readonly nullCount: number
  /** Elements without a value, those with null among them. */
  readonly without: number
  /** Codes of each element, in their order, are all that its documents say. */
  readonly isWhole: boolean
  readonly hasSeveral: boolean
  readonly upper?: Uint8Array | undefined
  readonly escaped: number
  /** All numbers are safe integers. */
  readonly isInteger: boolean
}

/** Sum of ESCAPED for the bytes of texts. */
export function escapedIn(bytes: NumberArray | undefined): number {
  let escaped = 0
  for (let i = 0; bytes && i < bytes.length; i++) escaped |= CLASSES[bytes[i]!]!
  return escaped
}

const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte)
  const isBreak = '\r\n'.includes(char)
  return (
    (isBreak || char === '\t' ? ESCAPED.tsv : 0) |
    (isBreak || ',"'.includes(char) ? ESCAPED.csv : 0) |
    (byte < 0x20 || '"\\'.includes(char) ? ESCAPED.json : 0)
  )
})
