import type { Executor } from '../../../shared/executor.ts'
import { type MatrixPart, partOf } from './matrix-part.ts'
import type { Matrix } from './open-matrix.ts'
import type { ExpressionUnit } from './unit-values.ts'

/** Cells of a matrix that may be sent, and in which form. */
export interface AskedValues {
  readonly matrix: Matrix
  /** Ascending, in shared memory. */
  readonly columns: Uint32Array
  /** Ascending. */
  readonly rows: Uint32Array
  readonly unit: ExpressionUnit
}

export interface ValuesRun {
  readonly executor: Executor
  readonly signal: AbortSignal
}

/** Small answers pass by the later chunks of large ones. */
const LATER_PRIORITY = 1
export const priorityOf = (start: number) => (start === 0 ? 0 : LATER_PRIORITY)

/** Some of the rows, for a job. */
export interface RowsPart {
  readonly names: readonly string[]
  readonly start: number
  /** Has the values of the rows worked on, which stay where they are until the work has settled. */
  use<Result>(
    signal: AbortSignal,
    work: (part: MatrixPart) => Result | Promise<Result>,
  ): Promise<Result>
}

/** All rows in their order, at most so many at a time. */
export function* rowParts(
  { matrix, columns, rows }: Pick<AskedValues, 'matrix' | 'columns' | 'rows'>,
  most: number,
): Generator<RowsPart, undefined> {
  const { values, geneIds } = matrix
  for (let start = 0; start < rows.length; ) {
    const next = rows.subarray(start, start + most)
    const some = next.subarray(0, values.together(next))
    const names = Array.from(some, (row) => geneIds[row] ?? '')
    yield {
      ...{ names, start },
      use: (signal, work) =>
        values.use(some, signal, (placed) => work(partOf(matrix, columns, placed))),
    }
    start += some.length
  }
  return undefined
}

/** The ids of the cases, by column. */
export function caseIdsOf({ matrix, columns }: Pick<AskedValues, 'matrix' | 'columns'>): string[] {
  const ids: string[] = []
  for (let i = 0; i < columns.length; i++) {
    ids.push(matrix.cases[columns[i]!]?.caseId ?? '')
  }
  return ids
}
