import { lowerBound } from '../../../shared/arrays/lower-bound.ts'
import type { MatrixKind } from '../../analysis/expression/matrix-format.ts'
import { type Block, conversion, makeValues, type ValueSource } from './value-source.ts'
import type { SpooledRow, ValueSpool } from './value-spool.ts'

/** A sample's spooled values, in the order of its layout's genes. */
export interface SpooledSample {
  readonly row: SpooledRow
  /** Column of its case in the matrix. */
  readonly column: number
}

/**
 * Source of the values of samples whose files have the same genes. The spool stores them by sample, so blocks
 * are transposed.
 */
export class SampleValues implements ValueSource {
  readonly genes: readonly string[]
  readonly kind: MatrixKind
  readonly #spool: ValueSpool
  readonly #samples: readonly SpooledSample[]

  /** @param genes gene ids, ascending */
  constructor(genes: readonly string[], spool: ValueSpool, samples: readonly SpooledSample[]) {
    this.genes = genes
    this.#spool = spool
    this.#samples = samples
    this.kind = samples.some(({ row }) => row.kind === 'double') ? 'double' : 'fixed'
  }

  fill({ first, end, cases, values }: Block, placeOf: Int32Array): void {
    const from = lowerBound(placeOf, first)
    const to = lowerBound(placeOf, end)
    if (from === to) return
    const rows = { fixed: makeValues('fixed', to - from), double: makeValues('double', to - from) }
    for (const { row, column } of this.#samples) {
      const target = rows[row.kind]
      this.#spool.read(row, from, target)
      const convert = conversion(target, values)
      for (let i = 0; i < target.length; i++) {
        const gene = placeOf[from + i]! - first
        values[gene * cases + column] = convert(target[i]!)
      }
    }
  }
}
