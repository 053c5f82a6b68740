import type { Job } from '../../../shared/executor.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import { RepeatedColumns } from '../../../shared/input/repeated-columns.ts'
import { isNoNumber } from '../cells.ts'
import { CellScanner } from './cell-scanner.ts'
import { NEEDS_DOUBLE } from './decimal.ts'
import { asDouble } from './fixed.ts'
import {
  CONTINUES,
  IssueList,
  NO_GENE,
  NO_VALUES_THERE,
  type RowIssues,
  wrongWidth,
} from './issue-list.ts'
import { ValueReader } from './read-value.ts'
import type { TableForm } from './table-form.ts'
import { FactsTally, type ValueFacts } from './units.ts'

interface RowsInput
  extends Pick<
    TableForm,
    'headerLines' | 'separator' | 'isShort' | 'geneCell' | 'typeCell' | 'symbolCell' | 'scale'
  > {
  /** Whole lines of the matrix. */
  readonly bytes: Uint8Array
  /** Number of the first line in the file. */
  readonly firstLine: number
  /** Number of columns. */
  readonly columns: number
  /** Indices of the cells to read. */
  readonly cells: readonly number[]
  /** Names in the header, if a name occurs twice. Otherwise undefined. */
  readonly repeated: readonly string[] | undefined
}

export interface GeneRow {
  readonly line: number
  readonly id: string
  readonly type: string | undefined
  readonly symbol: string | undefined
  /** Values of the cells to read. They are doubles if any of them requires it. */
  readonly values: Uint32Array | Float64Array
}

export interface RowsOutput {
  readonly rows: readonly GeneRow[]
  /** Number of rows read, some of which may have no values. */
  readonly read: number
  readonly issues: RowIssues
  /** Number of cells with a word for a missing value, keyed by cell index. */
  readonly empty: ReadonlyMap<number, number>
  /** Number of cells without a value for any reason, keyed by cell index. */
  readonly missing: ReadonlyMap<number, number>
  readonly facts: ValueFacts
  /** Lines with another header. The rows after them are still read with the first header. */
  readonly headers: readonly { readonly line: number; readonly names: readonly string[] }[]
  /** Why nothing can be read. */
  readonly broken: string | undefined
}

/** Reads rows of a matrix: for each gene, the values of the wanted columns. */
export const rowsJob: Job<RowsInput, RowsOutput> = {
  name: 'import.rows',
  run(input) {
    const { bytes, firstLine, headerLines, columns, cells, isShort, geneCell } = input
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const scanner = new CellScanner(buffer, { columns, separator: input.separator }, firstLine)
    const issues = new IssueList()
    const reader = new ValueReader(scanner, issues, input.scale)
    const facts = new FactsTally(cells.length)
    const repeated = input.repeated && RepeatedColumns.find(input.repeated, headerLines)
    const rows: GeneRow[] = []
    let read = 0
    const headers: { line: number; names: readonly string[] }[] = []
    const output = (broken?: string): RowsOutput => ({
      rows,
      read,
      issues: issues.issues,
      empty: reader.empty,
      missing: reader.missing,
      facts: facts.facts,
      headers,
      broken,
    })
    const text = (cell: number | undefined) =>
      cell === undefined ? undefined : scanner.text(cell) || undefined
    const add = (values: Uint32Array | Float64Array): number => {
      const id = text(geneCell)
      const { line } = scanner
      if (id === undefined) {
        issues.add(line, NO_GENE)
        return 0
      }
      read++
      const found = facts.add(values)
      if (found === 0) return 0
      rows.push({ line, id, type: text(input.typeCell), symbol: text(input.symbolCell), values })
      return found
    }
    const isPlain = repeated === undefined && input.scale === 'linear'
    const places = isPlain ? placesOf(cells, columns) : undefined
    let fixed = new Uint32Array(cells.length)
    for (;;) {
      if (places && scanner.line >= headerLines && scanner.nextPlain(places, fixed)) {
        if (add(fixed) > 0) fixed = new Uint32Array(cells.length)
        continue
      }
      if (!scanner.next()) break
      const { line } = scanner
      if (line <= headerLines) continue
      const isWhole = scanner.cells === columns
      if ((isWhole || (isShort && scanner.cells === columns - 1)) && isHeader(scanner, input)) {
        headers.push({ line, names: scanner.texts() })
        continue
      }
      if (scanner.continues) {
        issues.add(line, CONTINUES)
        continue
      }
      if (!isWhole) {
        issues.add(line, wrongWidth(scanner.cells, columns))
        continue
      }
      try {
        repeated?.compare(scanner.texts(), line)
      } catch (error) {
        // The error's class is lost between threads, so only its message is returned.
        if (error instanceof FormatError) return output(error.message)
        throw error
      }
      const before = issues.count
      if (add(readCells(reader, cells)) === 0 && issues.count === before) {
        issues.add(line, NO_VALUES_THERE)
      }
    }
    return output()
  },
  transfer: ({ rows, facts }) => [
    ...rows.map(({ values }) => values.buffer as ArrayBuffer),
    facts.sums.buffer as ArrayBuffer,
  ],
}

/** Returns for each cell its index among the cells to read, or -1 for a cell to skip. */
function placesOf(cells: readonly number[], columns: number): Int32Array {
  const places = new Int32Array(columns).fill(-1)
  for (const [place, cell] of cells.entries()) places[cell] = place
  return places
}

/** Returns whether a line is a header, with names instead of genes and numbers. */
function isHeader(scanner: CellScanner, { geneCell, cells }: RowsInput): boolean {
  if (scanner.startsWith(geneCell, 'ENS')) return false
  const last = scanner.cells - 1
  return cells.every((cell) => {
    const at = Math.min(cell, last)
    const text = scanner.text(at)
    return !isNoNumber(text) && !/^[\d.+-]/.test(text)
  })
}

function readCells(reader: ValueReader, cells: readonly number[]): Uint32Array | Float64Array {
  const fixed = new Uint32Array(cells.length)
  let doubles: Float64Array | undefined
  for (let i = 0; i < cells.length; i++) {
    const value = reader.read(cells[i]!)
    if (value === NEEDS_DOUBLE) {
      doubles ??= Float64Array.from(fixed, asDouble)
      doubles[i] = reader.double
    } else {
      fixed[i] = value
      if (doubles) doubles[i] = asDouble(value)
    }
  }
  return doubles ?? fixed
}
