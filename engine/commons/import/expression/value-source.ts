import type { MatrixKind } from '../../analysis/expression/matrix-format.ts'
import { asDouble, asFixed } from './fixed.ts'
import type { Values } from './value-spool.ts'

/** Values of consecutive genes of the matrix for all of its cases. */
export interface Block {
  /** Range of genes in the matrix, 0-based, without `end`. */
  readonly first: number
  readonly end: number
  readonly cases: number
  /** Values ordered by gene, then by case. */
  readonly values: Values
}

/** A source of the values of some cases. */
export interface ValueSource {
  /** Ids of the genes with values in this source. */
  readonly genes: readonly string[]
  /** Kind of number that the source's values require. */
  readonly kind: MatrixKind
  /**
   * Writes the source's values into a block. Blocks are requested in ascending order.
   * @param placeOf index in the matrix of each gene of `genes`
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
