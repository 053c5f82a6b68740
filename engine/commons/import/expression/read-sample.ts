import type { Job } from '../../../shared/executor.ts'
import { ABSENT } from '../../analysis/expression/matrix-format.ts'
import { CellScanner } from './cell-scanner.ts'
import { doubleOf, NEEDS_DOUBLE, NO_VALUE, readDecimal } from './decimal.ts'
import { asDouble } from './fixed.ts'
import { type GeneLayout, REPEATED, type UnknownRows } from './gene-layout.ts'
import {
  IssueList,
  NO_GENE,
  NO_NUMBER,
  type RowIssues,
  repeatedGene,
  wrongWidth,
} from './issue-list.ts'
import { readWhole } from './read-whole.ts'
import type { TableForm } from './table-form.ts'
import { fromLog2p1 } from './units.ts'

export interface SampleInput {
  readonly path: string
  /** How messages call the file. */
  readonly name: string
  readonly form: TableForm
  /** Those that were met so far. */
  readonly layouts: readonly GeneLayout[]
}

export type SampleOutput =
  /** None of the layouts is the file's. */
  | { readonly layout: undefined; readonly rows: UnknownRows }
  | {
      /** Number of the layout. */
      readonly layout: number
      /** Of its stored genes; absent ones are ABSENT or NaN. */
      readonly values: Uint32Array | Float64Array
      readonly issues: RowIssues
    }

/**
 * Reads the values of one sample out of its file, which has some 60,000 rows: tens of milliseconds.
 * @throws EngineError bad_input when the file is damaged
 */
export const sampleJob: Job<SampleInput, SampleOutput> = {
  name: 'import.sample',
  run({ path, name, form, layouts }, scratch) {
    const bytes = readWhole(path, name, scratch)
    for (const [layout, each] of layouts.entries()) {
      const read = readValues(bytes, form, each)
      if (read) return { layout, ...read }
    }
    return { layout: undefined, rows: readRows(bytes, form) }
  },
  transfer: (output) => (output.layout === undefined ? [] : [output.values.buffer as ArrayBuffer]),
}

/** Comes to the next row that is a gene's; false at the end. */
function nextGene(scanner: CellScanner, { headerLines, sums }: TableForm): boolean {
  while (scanner.next()) {
    if (scanner.line > headerLines && !(sums && scanner.startsWith(sums))) return true
  }
  return false
}

function readRows(bytes: Buffer, form: TableForm): UnknownRows {
  const { columns, typeCell, symbolCell } = form
  const ids: string[] = []
  const types: string[] = []
  const symbols: string[] = []
  const scanner = new CellScanner(bytes, columns, 1)
  const text = (cell: number | undefined) =>
    cell !== undefined && cell < scanner.cells ? scanner.text(cell) : ''
  while (nextGene(scanner, form)) {
    ids.push(scanner.text(0))
    types.push(text(typeCell))
    symbols.push(text(symbolCell))
  }
  return {
    ids,
    types: typeCell === undefined ? undefined : types,
    symbols: symbolCell === undefined ? undefined : symbols,
  }
}

/** `undefined` when the file's rows are not those of the layout. */
function readValues(bytes: Buffer, form: TableForm, layout: GeneLayout) {
  const { places, ends, stored } = layout
  const scanner = new CellScanner(bytes, form.columns, 1)
  const cell = form.values[0]?.cell ?? 0
  const isLogarithm = form.scale === 'log2p1'
  const issues = new IssueList()
  const fixed = new Uint32Array(stored).fill(ABSENT)
  let doubles: Float64Array | undefined
  let row = 0
  for (; nextGene(scanner, form); row++) {
    if (row === ends.length || !isGeneOf(layout, row, scanner)) return undefined
    const value = readDecimal(bytes, scanner.start(cell), scanner.end(cell))
    const place = places[row]!
    const issue = issueOf(scanner, form, { value, place })
    if (issue !== undefined) issues.add(scanner.line, issue)
    else if (value === NEEDS_DOUBLE || isLogarithm) {
      const read = doubleOf(bytes, scanner.start(cell), scanner.end(cell))
      const double = isLogarithm ? fromLog2p1(read) : read
      if (double === Number.POSITIVE_INFINITY) issues.add(scanner.line, NO_VALUE_THERE)
      else if (place >= 0) {
        doubles ??= new Float64Array(stored).fill(Number.NaN)
        doubles[place] = double
      }
    } else if (place >= 0) fixed[place] = value
  }
  if (row !== ends.length) return undefined
  return { values: doubles ? widened(fixed, doubles) : fixed, issues: issues.issues }
}

const NO_VALUE_THERE = `the column of values ${NO_NUMBER}`

function issueOf(
  scanner: CellScanner,
  { columns }: TableForm,
  { value, place }: { readonly value: number; readonly place: number },
): string | undefined {
  if (scanner.cells !== columns) return wrongWidth(scanner.cells, columns)
  if (scanner.start(0) === scanner.end(0)) return NO_GENE
  if (value === NO_VALUE) return NO_VALUE_THERE
  return place === REPEATED ? repeatedGene(scanner.text(0)) : undefined
}

function isGeneOf({ ids, ends }: GeneLayout, row: number, scanner: CellScanner): boolean {
  const { bytes } = scanner
  const end = scanner.end(0)
  let place = scanner.start(0)
  let at = row === 0 ? 0 : ends[row - 1]!
  if (ends[row]! - at !== end - place) return false
  for (; place < end; place++, at++) if (bytes[place] !== ids[at]) return false
  return true
}

/** Fills in, beside the values that needed doubles, all others. */
function widened(fixed: Uint32Array, doubles: Float64Array): Float64Array {
  for (let place = 0; place < fixed.length; place++) {
    if (fixed[place] !== ABSENT) doubles[place] = asDouble(fixed[place]!)
  }
  return doubles
}
