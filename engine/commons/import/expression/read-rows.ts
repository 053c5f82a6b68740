import type { Job } from '../../../shared/executor.ts'
import { FIXED_SCALE } from '../../analysis/expression/matrix-format.ts'
import { CellScanner } from './cell-scanner.ts'
import { doubleOf, NEEDS_DOUBLE, NO_VALUE, readDecimal } from './decimal.ts'
import { asDouble } from './fixed.ts'
import { IssueList, NO_GENE, NO_NUMBER, type RowIssues, wrongWidth } from './issue-list.ts'
import { addFacts, fromLog2p1, NO_VALUES, type Scale, type ValueFacts } from './units.ts'

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
  readonly scale: Scale
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
  readonly facts: ValueFacts
}

/** Reads some rows of a matrix: the values of a gene in the columns that are wanted. */
export const rowsJob: Job<RowsInput, RowsOutput> = {
  name: 'import.rows',
  run({ bytes, firstLine, headerLines, columns, cells, typeCell, symbolCell, scale }) {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const scanner = new CellScanner(buffer, columns, firstLine)
    const issues = new IssueList()
    const rows: GeneRow[] = []
    let facts = NO_VALUES
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
      const values = scale === 'linear' ? readCells(scanner, cells) : readLogarithms(scanner, cells)
      if (id === undefined) issues.add(line, NO_GENE)
      else if (typeof values === 'number') issues.add(line, `column ${values + 1} ${NO_NUMBER}`)
      else {
        facts = addFacts(facts, factsOf(values))
        rows.push({ line, id, type: text(typeCell), symbol: text(symbolCell), values })
      }
    }
    return { rows, issues: issues.issues, facts }
  },
  transfer: ({ rows }) => rows.map(({ values }) => values.buffer as ArrayBuffer),
}

function factsOf(values: Uint32Array | Float64Array): ValueFacts {
  const one = values instanceof Uint32Array ? FIXED_SCALE : 1
  let most = 0
  let areWhole = true
  for (const value of values) {
    if (value > most) most = value
    if (value % one !== 0) areWhole = false
  }
  return { count: values.length, most: most / one, areWhole }
}

/** The values behind log2(x + 1), or the cell that has none. */
function readLogarithms(scanner: CellScanner, cells: readonly number[]): Float64Array | number {
  const { bytes } = scanner
  const values = new Float64Array(cells.length)
  for (const [i, cell] of cells.entries()) {
    const [start, end] = [scanner.start(cell), scanner.end(cell)]
    if (readDecimal(bytes, start, end) === NO_VALUE) return cell
    values[i] = fromLog2p1(doubleOf(bytes, start, end))
    if (values[i] === Number.POSITIVE_INFINITY) return cell
  }
  return values
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
