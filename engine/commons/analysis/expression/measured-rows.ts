import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { Executor } from '../../../shared/executor.ts'
import type { MatrixPart } from './matrix-part.ts'
import { priorityOf, type RequestedValues, rowParts, type ValuesRun } from './requested-values.ts'

export type MeasuredCells = Pick<RequestedValues, 'matrix' | 'columns' | 'rows'>

export interface RowsRun {
  readonly executor: Executor
  readonly part: MatrixPart
  readonly options: { readonly signal: AbortSignal; readonly priority: number }
}

interface RowMeasure {
  readonly perRow: number
  /** Number of cells per job. A job takes a few milliseconds. */
  readonly jobCells: number
  /** Returns `perRow` results for each row of the block. */
  readonly measure: (run: RowsRun) => Promise<Float64Array>
}

/** Number of cells per job, for jobs that sort the values. */
export const SORTED_JOB_CELLS = 1 << 17

/**
 * Computes the results of all rows in concurrent jobs. Returns them in the order of the rows.
 * @throws EngineError busy if too many jobs are waiting
 */
export async function measureRows(
  requested: MeasuredCells,
  { executor, signal }: ValuesRun,
  { perRow, jobCells, measure }: RowMeasure,
): Promise<Float64Array> {
  const most = Math.max(1, Math.ceil(jobCells / Math.max(1, requested.columns.length)))
  const parts = rowParts(requested, most)
  const numbers = new Float64Array(perRow * requested.rows.length)
  let filled = 0
  const start = (stop: AbortSignal) => {
    const { value } = parts.next()
    if (!value) return undefined
    const options = { signal: stop, priority: priorityOf(value.start) }
    return value.use(stop, (part) => measure({ executor, part, options }))
  }
  for await (const some of inOrder(start, { ahead: 2 * executor.parallelism, signal })) {
    numbers.set(some, filled)
    filled += some.length
  }
  return numbers
}

/** Converts NaN and undefined to null for JSON. */
export const numberOrNull = (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? null : value
