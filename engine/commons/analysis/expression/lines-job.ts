import type { Job, Scratch } from '../../../shared/executor.ts'
import { csvCell, type TableForm } from '../../../shared/formats/table-cells.ts'
import { type MatrixPart, rowValues } from './matrix-part.ts'
import { type CellForm, RowWriter } from './row-writer.ts'
import type { ExpressionUnit } from './unit-values.ts'

interface LinesToWrite {
  readonly part: MatrixPart
  /** Gene ids, by row of the part. */
  readonly names: readonly string[]
  readonly unit: ExpressionUnit
  readonly form: CellForm
  readonly table: TableForm
  /** Buffer for the longest possible lines. In shared memory if a thread writes them. */
  readonly target: Uint8Array
}

/** Writes lines of a table. Returns the number of bytes. */
export function writeLines(
  { part, names, unit, form, table, target }: LinesToWrite,
  scratch: Scratch,
): number {
  const writer = new RowWriter(target, scratch)
  for (const [i, name] of names.entries()) {
    const shown = table === 'csv' ? csvCell(name) : name
    writer.row(shown, rowValues(part, part.offsets[i]!, scratch), unit, form)
  }
  if (table === 'csv') separateByCommas(target.subarray(0, writer.length))
  return writer.length
}

const TAB = 0x09
const COMMA = 0x2c

/** Replaces tabs by commas. Neither numbers nor gene names contain either. */
function separateByCommas(lines: Uint8Array): void {
  for (let i = 0; i < lines.length; i++) if (lines[i] === TAB) lines[i] = COMMA
}

export const linesJob: Job<LinesToWrite, number> = { name: 'expression.lines', run: writeLines }
