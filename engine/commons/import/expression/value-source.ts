import type { MatrixKind } from '../../analysis/expression/matrix-format.ts'
import { asDouble, asFixed } from './fixed.ts'
import type { Values } from './value-spool.ts'

/** Values of some genes that follow each other in the matrix, for all of its cases. */
export interface Block {
  /** The genes from `first` on, before `end`. */
  readonly first: number
  readonly end: number
  readonly cases: number
  /** By gene, then by case. */
  readonly values: Values
}

/** Where values of some cases come from. */
export interface ValueSource {
  /** Ids of the genes that it has values of. */
  readonly genes: readonly string[]
  /** What its values, those of `genes` for the columns that are taken, need. */
  readonly kind: MatrixKind
  /**
   * Puts its values in their places of a block. Blocks are asked for in ascending order.
   * @param placeOf numbers of the source's genes in the matrix, in the order of `genes`
   */
  fill(block: Block, placeOf: Int32Array): void | Promise<void>
}

export function makeValues(kind: MatrixKind, length: number): Values {
  return kind === 'fixed' ? new Uint32Array(length) : new Float64Array(length)
}

/** How values of one kind become values of another. */
export function conversion(from: Values, to: Values): (value: number) => number {
  const isFixed = from instanceof Uint32Array
  if (isFixed === to instanceof Uint32Array) return (value) => value
  return isFixed ? asDouble : asFixed
}
