import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { MeasuredCells } from './measured-rows.ts'
import { caseIdsOf, priorityOf, rowParts, type ValuesRun } from './requested-values.ts'
import { type ScoreMethod, setScoresJob } from './set-scores-job.ts'

/** Score of a case, with the field names of the response. */
export interface SetScore {
  readonly case_id: string
  /** Number of genes of the set with a value. */
  readonly genes: number
  /** Null without one. */
  readonly score: number | null
}

interface SetScores {
  /** Number of genes that count. With z-scores, genes that do not vary are left out. */
  readonly genes: number
  readonly scores: readonly SetScore[]
}

/** Number of cells per job. A job takes a few milliseconds. */
const JOB_CELLS = 1 << 18

/**
 * Returns the mean of log2(value + 1), or of its z-scores over the requested cases, of some genes in each case. Cases
 * are in the order of the columns. Sums are made in the order of the rows, however the work is split into jobs.
 * @throws EngineError busy if too many jobs are waiting
 */
export async function scoreCases(
  requested: MeasuredCells,
  method: ScoreMethod,
  { executor, signal }: ValuesRun,
): Promise<SetScores> {
  const width = requested.columns.length
  const parts = rowParts(requested, Math.max(1, Math.ceil(JOB_CELLS / Math.max(1, width))))
  const sums = new Float64Array(2 * width + 1)
  const start = (stop: AbortSignal) => {
    const { value } = parts.next()
    if (!value) return undefined
    const options = { signal: stop, priority: priorityOf(value.start) }
    return value.use(stop, (part) => executor.run(setScoresJob, { part, method, width }, options))
  }
  for await (const some of inOrder(start, { ahead: 2 * executor.parallelism, signal })) {
    for (let i = 0; i < sums.length; i++) sums[i]! += some[i]!
  }
  const ids = caseIdsOf(requested)
  return {
    genes: sums[2 * width]!,
    scores: ids.map((id, i) => {
      const genes = sums[width + i]!
      return { case_id: id, genes, score: genes > 0 ? sums[i]! / genes : null }
    }),
  }
}
