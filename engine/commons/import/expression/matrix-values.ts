import type { MatrixKind } from '../../analysis/expression/matrix-format.ts'
import { type Block, conversion, makeValues, type ValueSource } from './value-source.ts'
import type { SpooledRow, ValueSpool } from './value-spool.ts'

/** A gene's spooled values, in the order of the chosen columns. */
export interface SpooledGene {
  readonly gene: string
  readonly row: SpooledRow
}

/** Columns of a matrix file as a source of values. */
export class MatrixValues implements ValueSource {
  readonly genes: readonly string[]
  readonly kind: MatrixKind
  readonly #spool: ValueSpool
  readonly #rows: readonly SpooledRow[]
  readonly #columns: readonly number[]

  /** @param columns index of each chosen column's case in the new matrix */
  constructor(rows: readonly SpooledGene[], spool: ValueSpool, columns: readonly number[]) {
    this.genes = rows.map(({ gene }) => gene)
    this.#rows = rows.map(({ row }) => row)
    this.#spool = spool
    this.#columns = columns
    this.kind = this.#rows.some(({ kind }) => kind === 'double') ? 'double' : 'fixed'
  }

  fill({ first, end, cases, values }: Block, placeOf: Int32Array): void {
    const columns = this.#columns
    const rowTargets = {
      fixed: makeValues('fixed', columns.length),
      double: makeValues('double', columns.length),
    }
    for (const [i, row] of this.#rows.entries()) {
      const gene = placeOf[i]!
      if (gene < first || gene >= end) continue
      const target = rowTargets[row.kind]
      this.#spool.read(row, 0, target)
      const convert = conversion(target, values)
      const start = (gene - first) * cases
      for (const [j, column] of columns.entries()) {
        values[start + column] = convert(target[j]!)
      }
    }
  }
}
