import type { Job, Scratch } from '../../../shared/executor.ts'
import { ExactTails, rankSumTest } from '../statistics/rank-sum.ts'
import type { MatrixValues } from './matrix-format.ts'
import { type MatrixPart, rowValues } from './matrix-part.ts'
import { doubles, words } from './middle-values.ts'
import { isAbsent, logIn } from './unit-values.ts'

/**
 * Numbers returned per row: size of each group, median of each, difference of means, test statistic, p-value,
 * and whether the p-value is exact (0 or 1).
 */
export const DIFFERENCES_PER_ROW = 8

interface RowsToCompare {
  readonly part: MatrixPart
  /** One entry per column: 1 for the first group, 0 for the second. */
  readonly isFirst: Uint8Array
}

/** Compares two groups of columns in each row, using log2(value + 1). */
export const differencesJob: Job<RowsToCompare, Float64Array> = {
  name: 'expression.differences',
  run({ part, isFirst }, scratch) {
    const exact = new ExactTails()
    const numbers = new Float64Array(DIFFERENCES_PER_ROW * part.offsets.length)
    for (const [place, offset] of part.offsets.entries()) {
      const { first, second } = sortedGroups(rowValues(part, offset, scratch), isFirst, scratch)
      const { statistic, pValue, isExact } = rankSumTest(first, second, exact)
      numbers.set(
        [
          first.length,
          second.length,
          medianOf(first),
          medianOf(second),
          meanOf(first) - meanOf(second),
          statistic,
          pValue,
          isExact ? 1 : 0,
        ],
        DIFFERENCES_PER_ROW * place,
      )
    }
    return numbers
  },
}

interface Groups {
  readonly first: MatrixValues
  readonly second: MatrixValues
}

/** Returns the values of each group in a row, sorted ascending. */
function sortedGroups(row: MatrixValues, isFirst: Uint8Array, scratch: Scratch): Groups {
  const first = roomFor(row, 'expression.first', scratch)
  const second = roomFor(row, 'expression.second', scratch)
  let [m, n] = [0, 0]
  for (let i = 0; i < row.length; i++) {
    const value = row[i]!
    if (isAbsent(row, value)) continue
    if (isFirst[i] === 1) first[m++] = value
    else second[n++] = value
  }
  return { first: first.subarray(0, m).sort(), second: second.subarray(0, n).sort() }
}

function roomFor(row: MatrixValues, name: string, scratch: Scratch): MatrixValues {
  const make = row instanceof Uint32Array ? words : doubles
  return make(scratch, name, row.length)
}

function medianOf(sorted: MatrixValues): number {
  const { length } = sorted
  if (length === 0) return Number.NaN
  return (logIn(sorted, sorted[(length - 1) >> 1]!) + logIn(sorted, sorted[length >> 1]!)) / 2
}

function meanOf(sorted: MatrixValues): number {
  let sum = 0
  for (let i = 0; i < sorted.length; i++) sum += logIn(sorted, sorted[i]!)
  return sum / sorted.length
}
