import type { MatrixKind } from '../../analysis/expression/matrix-format.ts'
import { asDouble, asFixed } from './fixed.ts'
import type { Values } from './value-spool.ts'

/** Values of consecutive genes of the matrix, for all cases of the matrix. */
export interface Block {
  /** Range of gene indices in the matrix, 0-based. `end` is exclusive. */
  readonly first: number
  readonly end: number
  readonly cases: number
  /** Values, ordered by gene and then by case. */
  readonly values: Values
}

/** A source of the values of some cases. */
export interface ValueSource {
  /** Ids of the genes for which this source has values. */
  readonly genes: readonly string[]
  /** Kind of matrix that the source's values require. */
  readonly kind: MatrixKind
  /**
   * Writes the values of the source's own cases into a block, which is prefilled with missing values. Genes outside
   * the block are skipped. Blocks are requested in ascending order.
   * @param placeOf index in the matrix of each gene of `genes`; ascending if `genes` is
   */
  fill(block: Block, placeOf: Int32Array): void | Promise<void>
}

export function makeValues(kind: MatrixKind, length: number): Values {
  return kind === 'fixed' ? new Uint32Array(length) : new Float64Array(length)
}

/** Returns the function that converts values from one kind to another. */
export function conversion(from: Values, to: Values): (value: number) => number {
  const isFixed = from instanceof Uint32Array
  if (isFixed === to instanceof Uint32Array) return (value) => value
  return isFixed ? asDouble : asFixed
}
