import type { Job } from '../../../shared/executor.ts'
import { CellScanner } from './cell-scanner.ts'
import { doubleOf, NEEDS_DOUBLE, NO_VALUE, readDecimal } from './decimal.ts'
import { asDouble } from './fixed.ts'
import { IssueList, NO_GENE, NO_NUMBER, type RowIssues, wrongWidth } from './issue-list.ts'

export interface RowsInput {
  /** Whole lines of a matrix. */
  readonly bytes: Uint8Array
  readonly firstLine: number
  readonly headerLines: number
  readonly columns: number
  /** Cells that are read. */
  readonly cells: readonly number[]
  readonly typeCell: number | undefined
  readonly symbolCell: number | undefined
}

export interface GeneRow {
  readonly line: number
  readonly id: string
  readonly type: string | undefined
  readonly symbol: string | undefined
  /** Doubles where some value needs one. */
  readonly values: Uint32Array | Float64Array
}

export interface RowsOutput {
  readonly rows: readonly GeneRow[]
  readonly issues: RowIssues
}

/** Reads some rows of a matrix: the values of a gene in the columns that are wanted. */
export const rowsJob: Job<RowsInput, RowsOutput> = {
  name: 'import.rows',
  run({ bytes, firstLine, headerLines, columns, cells, typeCell, symbolCell }) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const scanner = new CellScanner(buffer, columns, firstLine)
    const issues = new IssueList()
    const rows: GeneRow[] = []
    const text = (cell: number | undefined) =>
      cell === undefined ? undefined : scanner.text(cell) || undefined
    while (scanner.next()) {
      const { line } = scanner
      if (line <= headerLines) continue
      if (scanner.cells !== columns) {
        issues.add(line, wrongWidth(scanner.cells, columns))
        continue
      }
      const id = text(0)
      const values = readCells(scanner, cells)
      if (id === undefined) issues.add(line, NO_GENE)
      else if (typeof values === 'number') issues.add(line, `column ${values + 1} ${NO_NUMBER}`)
      else rows.push({ line, id, type: text(typeCell), symbol: text(symbolCell), values })
    }
    return { rows, issues: issues.issues }
  },
  transfer: ({ rows }) => rows.map(({ values }) => values.buffer as ArrayBuffer),
}

/** The values, or the cell that has none. */
function readCells(
  scanner: CellScanner,
  cells: readonly number[],
): Uint32Array | Float64Array | number {
  const { bytes } = scanner
  const fixed = new Uint32Array(cells.length)
  let doubles: Float64Array | undefined
  for (const [i, cell] of cells.entries()) {
    const start = scanner.start(cell)
    const end = scanner.end(cell)
    const value = readDecimal(bytes, start, end)
    if (value === NO_VALUE) return cell
    if (value === NEEDS_DOUBLE) {
      doubles ??= Float64Array.from(fixed, asDouble)
      doubles[i] = doubleOf(bytes, start, end)
      if (doubles[i] === Number.POSITIVE_INFINITY) return cell
    } else {
      fixed[i] = value
      if (doubles) doubles[i] = asDouble(value)
    }
  }
  return doubles ?? fixed
}
