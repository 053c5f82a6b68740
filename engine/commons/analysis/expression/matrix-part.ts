import type { Scratch } from '../../../shared/executor.ts'
import type { MatrixKind, MatrixValues } from './matrix-format.ts'
import type { PlacedRows } from './matrix-rows.ts'
import { doubles, words } from './middle-values.ts'
import type { Matrix } from './open-matrix.ts'

/** Some rows and columns of a matrix, passed to a job without copying the values. */
export interface MatrixPart {
  readonly memory: SharedArrayBuffer
  readonly kind: MatrixKind
  /** Number of columns of the whole matrix, in the rows that `offsets` refers to. */
  readonly width: number
  /** Selected column numbers, ascending, in shared memory. Undefined selects all. */
  readonly columns: Uint32Array | undefined
  /** Byte offset in `memory` of each selected row. */
  readonly offsets: Float64Array
}

/** @param columns selected column numbers, as returned by `columnsOf` */
export function partOf(
  { kind, cases }: Pick<Matrix, 'kind' | 'cases'>,
  columns: Uint32Array,
  { memory, offsets }: PlacedRows,
): MatrixPart {
  return {
    memory,
    kind,
    width: cases.length,
    columns: columns.length === cases.length ? undefined : columns,
    offsets,
  }
}

/** Returns the values of the selected columns of one row. The array is reused by the next call. */
export function rowValues(part: MatrixPart, offset: number, scratch: Scratch): MatrixValues {
  const { memory, kind, width, columns } = part
  if (kind === 'fixed') {
    const whole = new Uint32Array(memory, offset, width)
    return columns
      ? gather(whole, columns, words(scratch, 'expression.row', columns.length))
      : whole
  }
  const whole = new Float64Array(memory, offset, width)
  if (!columns) return whole
  return gather(whole, columns, doubles(scratch, 'expression.row', columns.length))
}

function gather<T extends MatrixValues>(whole: T, columns: Uint32Array, into: T): T {
  for (let i = 0; i < columns.length; i++) into[i] = whole[columns[i]!] as number
  return into
}

/** Returns the indices of non-zero entries, ascending, in shared memory. */
export function markedPlaces(marks: Uint8Array): Uint32Array {
  let count = 0
  for (let i = 0; i < marks.length; i++) count += marks[i]!
  const places = new Uint32Array(new SharedArrayBuffer(4 * count))
  let filled = 0
  for (let i = 0; i < marks.length; i++) if (marks[i] === 1) places[filled++] = i
  return places
}
