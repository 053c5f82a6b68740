import type { Job } from '../../../shared/executor.ts'
import { type MatrixPart, rowValues } from './matrix-part.ts'
import { medianFloor, reachesFloor } from './median-floor.ts'
import { roughSpreadOf } from './rough-spread.ts'
import { spreadOf } from './spread.ts'
import { medianLog } from './unit-values.ts'

interface SpreadsToMeasure {
  readonly part: MatrixPart
  /** Genes are left out if their median of log2(value + 1) is below this number. */
  readonly leastMedian: number
}

/** Returns the population standard deviation of log2(value + 1) of each row, or NaN for a row that is left out. */
export const spreadsJob: Job<SpreadsToMeasure, Float64Array> = {
  name: 'expression.spreads',
  run({ part, leastMedian }, scratch) {
    const floor = medianFloor(leastMedian)
    return part.offsets.map((offset) => {
      const row = rowValues(part, offset, scratch)
      return reachesFloor(row, floor, scratch) ? spreadOf(row, scratch) : Number.NaN
    })
  },
}

/**
 * Does the same as spreadsJob, but approximately: each result is within ROUGH_SPREAD_ERROR of the exact one, and
 * the job is several times as fast. Only for matrices of the kind `fixed`, whose values are whole numbers of
 * ten-thousandths.
 */
export const roughSpreadsJob: Job<SpreadsToMeasure, Float64Array> = {
  name: 'expression.rough-spreads',
  run({ part, leastMedian }, scratch) {
    const floor = medianFloor(leastMedian)
    return part.offsets.map((offset) => {
      const row = rowValues(part, offset, scratch)
      if (!(row instanceof Uint32Array))
        throw new TypeError('rough spreads need a matrix of the kind fixed')
      return roughSpreadOf(row, floor, scratch)
    })
  },
}

/** Returns the median of log2(value + 1) of each row. */
export const mediansJob: Job<MatrixPart, Float64Array> = {
  name: 'expression.medians',
  run: (part, scratch) =>
    part.offsets.map((offset) => medianLog(rowValues(part, offset, scratch), scratch)),
}
