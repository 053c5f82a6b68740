import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { Executor } from '../../../shared/executor.ts'
import { type AskedValues, priorityOf, rowParts, type ValuesRun } from './asked-values.ts'
import type { MatrixPart } from './matrix-part.ts'

/** Rows and columns of which something is measured. */
export type MeasuredCells = Pick<AskedValues, 'matrix' | 'columns' | 'rows'>

/** What one job is given. */
export interface RowsRun {
  readonly executor: Executor
  readonly part: MatrixPart
  readonly options: { readonly signal: AbortSignal; readonly priority: number }
}

export interface RowMeasure {
  /** Numbers that are measured of each row. */
  readonly perRow: number
  /** Cells of a job: a few milliseconds. */
  readonly jobCells: number
  /** The numbers of the part's rows, one row's after the other's. */
  readonly measure: (run: RowsRun) => Promise<Float64Array>
}

/** Cells of a job that sorts them. */
export const SORTED_JOB_CELLS = 1 << 17

/**
 * Numbers of each row, in the order of the rows, measured in jobs side by side.
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

/** What JSON can say of a measured number. */
export const numberOrNull = (value: number | undefined) =>
  value === undefined || Number.isNaN(value) ? null : value
