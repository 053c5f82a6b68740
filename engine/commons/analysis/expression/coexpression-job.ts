import type { Job } from '../../../shared/executor.ts'
import { correlationPValue } from '../statistics/student-t.ts'
import { pearson, ranksOf } from './correlation.ts'
import type { MatrixValues } from './matrix-format.ts'
import { type MatrixPart, rowValues } from './matrix-part.ts'
import { isAbsent, logIn } from './unit-values.ts'

/** Numbers returned per row: number of pairs, Pearson's r and its p-value, Spearman's rho and its p-value. */
export const CORRELATIONS_PER_ROW = 5
/** Smallest number of pairs for which a p-value is computed. */
const MIN_PAIRS = 3

interface RowsToCorrelate {
  readonly part: MatrixPart
  /** log2(value + 1) of the gene to compare with, by column. NaN if missing. */
  readonly gene: Float64Array
}

/** Correlates each row with one gene over the columns, using log2(value + 1). */
export const correlationsJob: Job<RowsToCorrelate, Float64Array> = {
  name: 'expression.correlations',
  run({ part, gene }, scratch) {
    const numbers = new Float64Array(CORRELATIONS_PER_ROW * part.offsets.length)
    const known = gene.filter((value) => !Number.isNaN(value))
    const ranksOfKnown = ranksOf(known)
    for (const [place, offset] of part.offsets.entries()) {
      const { mine, others } = pairsOf(gene, rowValues(part, offset, scratch))
      const pairs = mine.length
      // Most rows have no missing values, so the ranks of the gene can usually be reused.
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

/** Returns the logarithms of both genes in the columns where neither is missing. */
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

/** Returns log2(value + 1) of one row, for each column. */
export const logsJob: Job<MatrixPart, Float64Array> = {
  name: 'expression.logs',
  run(part, scratch) {
    const row = rowValues(part, part.offsets[0] ?? 0, scratch)
    return Float64Array.from(row, (value) =>
      isAbsent(row, value) ? Number.NaN : logIn(row, value),
    )
  },
}
