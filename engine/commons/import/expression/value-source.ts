import type { MatrixKind } from '../../analysis/expression/matrix-format.ts'
import { asDouble, asFixed } from './fixed.ts'
import type { Values } from './value-spool.ts'

/** The values of consecutive genes of the matrix, for all of its cases. */
export interface Block {
  /** The block holds genes `first` (0-based) up to, but not including, `end`. */
  readonly first: number
  readonly end: number
  readonly cases: number
  /** Values are ordered by gene, then by case. */
  readonly values: Values
}

/** A source of the values of some cases. */
export interface ValueSource {
  /** The ids of the genes for which the source has values. */
  readonly genes: readonly string[]
  /** The kind of number that the values of `genes` need in the columns that are taken. */
  readonly kind: MatrixKind
  /**
   * Writes the source's values into a block. Blocks are requested in ascending order.
   * @param placeOf the number that each of the source's genes has in the matrix, in the order of `genes`
   */
  fill(block: Block, placeOf: Int32Array): void | Promise<void>
}

export function makeValues(kind: MatrixKind, length: number): Values {
  return kind === 'fixed' ? new Uint32Array(length) : new Float64Array(length)
}

/** Returns the function that converts values of one kind to another. */
export function conversion(from: Values, to: Values): (value: number) => number {
  const isFixed = from instanceof Uint32Array
  if (isFixed === to instanceof Uint32Array) return (value) => value
  return isFixed ? asDouble : asFixed
}
