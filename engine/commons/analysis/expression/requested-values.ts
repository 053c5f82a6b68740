import type { Executor } from '../../../shared/executor.ts'
import { type MatrixPart, partOf } from './matrix-part.ts'
import type { Matrix } from './open-matrix.ts'
import type { ExpressionUnit } from './unit-values.ts'

/** Cells of an expression matrix that a response consists of, and their unit. */
export interface RequestedValues {
  readonly matrix: Matrix
  /** Columns, ascending, in shared memory. */
  readonly columns: Uint32Array
  /** Row numbers of the genes, ascending. */
  readonly rows: Uint32Array
  readonly unit: ExpressionUnit
}

export interface ValuesRun {
  readonly executor: Executor
  readonly signal: AbortSignal
}

/** Job priority of all chunks after the first, so that small responses overtake large ones. */
const LATER_PRIORITY = 1
export const priorityOf = (start: number) => (start === 0 ? 0 : LATER_PRIORITY)

/** A block of consecutive rows, passed to a job. */
export interface RowsPart {
  readonly names: readonly string[]
  readonly start: number
  /** Runs a function on the values of the rows, which stay in memory until its promise settles. */
  use<Result>(
    signal: AbortSignal,
    work: (part: MatrixPart) => Result | Promise<Result>,
  ): Promise<Result>
}

/** Yields all rows in order, in blocks of limited size. */
export function* rowParts(
  { matrix, columns, rows }: Pick<RequestedValues, 'matrix' | 'columns' | 'rows'>,
  most: number,
): Generator<RowsPart, undefined> {
  const { values, geneIds } = matrix
  for (let start = 0; start < rows.length; ) {
    const next = rows.subarray(start, start + most)
    const some = next.subarray(0, values.together(next))
    const names = Array.from(some, (row) => geneIds[row] ?? '')
    yield {
      names,
      start,
      use: (signal, work) =>
        values.use(some, signal, (placed) => work(partOf(matrix, columns, placed))),
    }
    start += some.length
  }
  return undefined
}

/** Returns the case id of each column. */
export function caseIdsOf({
  matrix,
  columns,
}: Pick<RequestedValues, 'matrix' | 'columns'>): string[] {
  const ids: string[] = []
  for (let i = 0; i < columns.length; i++) {
    ids.push(matrix.cases[columns[i]!]?.caseId ?? '')
  }
  return ids
}
