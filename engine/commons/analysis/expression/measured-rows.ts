import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { Executor } from '../../../shared/executor.ts'
import { type AskedValues, priorityOf, rowParts, type ValuesRun } from './asked-values.ts'
import type { MatrixPart } from './matrix-part.ts'

/** Rows and columns to measure. */
export type MeasuredCells = Pick<AskedValues, 'matrix' | 'columns' | 'rows'>

/** Input of one job. */
export interface RowsRun {
  readonly executor: Executor
  readonly part: MatrixPart
  readonly options: { readonly signal: AbortSignal; readonly priority: number }
}

interface RowMeasure {
  /** Numbers measured per row. */
  readonly perRow: number
  /** Cells per job: a few milliseconds of work. */
  readonly jobCells: number
  /** Returns the numbers of the part's rows, row by row. */
  readonly measure: (run: RowsRun) => Promise<Float64Array>
}

/** Cells per job that sorts them. */
export const SORTED_JOB_CELLS = 1 << 17

/**
 * Measures the rows in concurrent jobs. Returns the numbers of each, in the order of the rows.
 * @throws EngineError busy
 */
export async function measureRows(
  asked: MeasuredCells,
  { executor, signal }: ValuesRun,
  { perRow, jobCells, measure }: RowMeasure,
): Promise<Float64Array> {
  const most = Math.max(1, Math.ceil(jobCells / Math.max(1, asked.columns.length)))
  const parts = rowParts(asked, most)
  const numbers = new Float64Array(perRow * asked.rows.length)
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
