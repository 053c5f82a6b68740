import type { Job } from '../../../shared/executor.ts'
import { type MatrixPart, rowValues } from './matrix-part.ts'
import { isAbsent, logIn } from './unit-values.ts'

/** How the genes of a set are weighed: by their expression, or each by its deviation from its mean. */
export type ScoreMethod = 'mean' | 'z-score'

interface RowsToScore {
  readonly part: MatrixPart
  readonly method: ScoreMethod
  /** Number of selected columns. */
  readonly width: number
}

/**
 * Sums the genes of a set in each column, using log2(value + 1). Returns the sums, then the number of genes in each,
 * and at last the number of genes that count.
 */
export const setScoresJob: Job<RowsToScore, Float64Array> = {
  name: 'expression.set-scores',
  run({ part, method, width }, scratch) {
    const numbers = new Float64Array(2 * width + 1)
    const logs = new Float64Array(width)
    for (const offset of part.offsets) {
      const row = rowValues(part, offset, scratch)
      for (let i = 0; i < width; i++) {
        logs[i] = isAbsent(row, row[i]!) ? Number.NaN : logIn(row, row[i]!)
      }
      const { mean, deviation } = method === 'mean' ? AS_IS : momentsOf(logs)
      if (!(deviation > 0)) continue
      numbers[2 * width]!++
      for (let i = 0; i < width; i++) {
        if (Number.isNaN(logs[i])) continue
        numbers[i]! += (logs[i]! - mean) / deviation
        numbers[width + i]!++
      }
    }
    return numbers
  },
  transfer: ({ buffer }) => [buffer as ArrayBuffer],
}

const AS_IS = { mean: 0, deviation: 1 }

/** Returns the mean and the sample's standard deviation (divisor n - 1), as R's `scale` has them. */
function momentsOf(logs: Float64Array) {
  const known = logs.filter((log) => !Number.isNaN(log))
  const mean = known.reduce((sum, log) => sum + log, 0) / known.length
  const squares = known.reduce((sum, log) => sum + (log - mean) ** 2, 0)
  return { mean, deviation: Math.sqrt(squares / (known.length - 1)) }
}
