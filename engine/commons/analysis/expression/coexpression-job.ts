import type { Job } from '../../../shared/executor.ts'
import { pearson, ranksOf } from './correlation.ts'
import type { MatrixValues } from './matrix-format.ts'
import { type MatrixPart, rowValues } from './matrix-part.ts'
import { correlationPValue } from './student-t.ts'
import { isAbsent, logIn } from './unit-values.ts'

/** Numbers per row: pairs, Pearson's correlation and its p-value, Spearman's and its p-value. */
export const CORRELATIONS_PER_ROW = 5
/** Below this number of pairs, there is no p-value. */
const MIN_PAIRS = 3

interface RowsToCorrelate {
  readonly part: MatrixPart
  /** Logarithms of the gene that others are compared with, by column of the part. NaN if absent. */
  readonly gene: Float64Array
}

/** Correlates each row of the part with a gene over its columns, using log2(value + 1). */
export const correlationsJob: Job<RowsToCorrelate, Float64Array> = {
  name: 'expression.correlations',
  run({ part, gene }, scratch) {
    const numbers = new Float64Array(CORRELATIONS_PER_ROW * part.offsets.length)
    const known = gene.filter((value) => !Number.isNaN(value))
    const ranksOfKnown = ranksOf(known)
    for (const [place, offset] of part.offsets.entries()) {
      const { mine, others } = pairsOf(gene, rowValues(part, offset, scratch))
      const pairs = mine.length
      // Most rows are complete, so the gene's ranks can be reused.
      const ranks = pairs === known.length ? ranksOfKnown : ranksOf(mine)
      const r = pairs < MIN_PAIRS ? Number.NaN : pearson(mine, others)
      const rho = pairs < MIN_PAIRS ? Number.NaN : pearson(ranks, ranksOf(others))
      numbers.set([pairs, r, pOf(r, pairs), rho, pOf(rho, pairs)], CORRELATIONS_PER_ROW * place)
    }
    return numbers
  },
}

const pOf = (correlation: number, pairs: number) =>
  Number.isNaN(correlation) ? Number.NaN : correlationPValue(correlation, pairs)

/** Returns the logarithms of the columns in which both genes have a value. */
function pairsOf(gene: Float64Array, row: MatrixValues) {
  const mine = new Float64Array(row.length)
  const others = new Float64Array(row.length)
  let count = 0
  for (let i = 0; i < row.length; i++) {
    const value = row[i]!
    if (isAbsent(row, value) || Number.isNaN(gene[i]!)) continue
    mine[count] = gene[i]!
    others[count++] = logIn(row, value)
  }
  return { mine: mine.subarray(0, count), others: others.subarray(0, count) }
}

/** Returns the logarithms of one row, by column of the part. */
export const logsJob: Job<MatrixPart, Float64Array> = {
  name: 'expression.logs',
  run(part, scratch) {
    const row = rowValues(part, part.offsets[0] ?? 0, scratch)
    return Float64Array.from(row, (value) =>
      isAbsent(row, value) ? Number.NaN : logIn(row, value),
    )
  },
}
