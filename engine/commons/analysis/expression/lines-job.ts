import type { Job, Scratch } from '../../../shared/executor.ts'
import { csvCell, type TableForm } from '../../../shared/formats/table-cells.ts'
import { type MatrixPart, rowValues } from './matrix-part.ts'
import { type CellForm, RowWriter } from './row-writer.ts'
import type { ExpressionUnit } from './unit-values.ts'

interface LinesToWrite {
  readonly part: MatrixPart
  /** Gene id of each row. */
  readonly names: readonly string[]
  readonly unit: ExpressionUnit
  readonly form: CellForm
  readonly table: TableForm
  /** Output buffer. It has space for the longest possible lines, and is shared memory if a thread writes to it. */
  readonly target: Uint8Array
}

/** Writes rows as lines of text into the buffer. Returns the number of bytes written. */
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

/** Replaces tabs by commas. Numbers and gene names contain neither. */
function separateByCommas(lines: Uint8Array): void {
  for (let i = 0; i < lines.length; i++) if (lines[i] === TAB) lines[i] = COMMA
}

export const linesJob: Job<LinesToWrite, number> = { name: 'expression.lines', run: writeLines }
