import type { Job, Scratch } from '../../../shared/executor.ts'
import { type MatrixPart, rowValues } from './matrix-part.ts'
import { type CellForm, RowWriter } from './row-writer.ts'
import type { ExpressionUnit } from './unit-values.ts'

export interface LinesToWrite {
  readonly part: MatrixPart
  /** By row of the part. */
  readonly names: readonly string[]
  readonly unit: ExpressionUnit
  readonly form: CellForm
  /** Room for the longest lines; shared memory when a thread writes them. */
  readonly room: Uint8Array
}

/** Writes lines of a table; gives how many bytes they are. */
export function writeLines(
  { part, names, unit, form, room }: LinesToWrite,
  scratch: Scratch,
): number {
  const writer = new RowWriter(room, scratch)
  for (const [i, name] of names.entries()) {
    writer.row(name, rowValues(part, part.offsets[i]!, scratch), unit, form)
  }
  return writer.length
}

export const linesJob: Job<LinesToWrite, number> = { name: 'expression.lines', run: writeLines }
