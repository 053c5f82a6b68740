import type { Job } from '../../../shared/executor.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import { RepeatedColumns } from '../../../shared/input/repeated-columns.ts'
import { ABSENT } from '../../analysis/expression/matrix-format.ts'
import { CellScanner } from './cell-scanner.ts'
import { NEEDS_DOUBLE } from './decimal.ts'
import { asDouble } from './fixed.ts'
import { type GeneLayout, LEFT_OUT, repeatedPlace, type UnknownRows } from './gene-layout.ts'
import {
  CONTINUES,
  IssueList,
  NO_GENE,
  otherValues,
  type RowIssues,
  wrongWidth,
} from './issue-list.ts'
import { ValueReader } from './read-value.ts'
import { damaged, readWhole } from './read-whole.ts'
import type { TableForm } from './table-form.ts'
import { factsOfSample, type ValueFacts } from './units.ts'

interface SampleInput {
  readonly path: string
  /** Name of the file in messages. */
  readonly name: string
  readonly form: TableForm
  /** Layouts of genes that were found so far. */
  readonly layouts: readonly GeneLayout[]
}

export type SampleOutput =
  /** The genes of the file match none of the layouts. */
  | { readonly layout: undefined; readonly rows: UnknownRows }
  | {
      /** Index of the matching layout. */
      readonly layout: number
      /** Values of the genes that are stored. Missing values are ABSENT or NaN. */
      readonly values: Uint32Array | Float64Array
      readonly issues: RowIssues
      /** Number of cells with a word for missing. */
      readonly empty: number
      readonly facts: ValueFacts
    }

/**
 * Reads the values of one sample from its file of about 60,000 rows, which takes tens of milliseconds.
 * @throws EngineError bad_input if the file is damaged, or a column occurs twice with different cells
 */
export const sampleJob: Job<SampleInput, SampleOutput> = {
  name: 'import.sample',
  run({ path, name, form, layouts }, scratch) {
    const bytes = readWhole({ path, name, lineEnd: form.lineEnd }, scratch)
    try {
      for (const [layout, each] of layouts.entries()) {
        const read = readValues(bytes, form, each)
        if (read) return { layout, ...read }
      }
      return { layout: undefined, rows: readRows(bytes, form) }
    } catch (cause) {
      if (cause instanceof FormatError)
        throw damaged(name, `cannot be read: ${cause.message}`, cause)
      throw cause
    }
  },
  transfer: (output) => (output.layout === undefined ? [] : [output.values.buffer as ArrayBuffer]),
}

const scannerOf = (bytes: Buffer, { names, separator }: TableForm) =>
  new CellScanner(bytes, { columns: names.length, separator }, 1)

/** Moves to the next gene row. Returns false at the end. */
function nextGene(scanner: CellScanner, { headerLines, geneCell, sums }: TableForm): boolean {
  while (scanner.next()) {
    if (scanner.line > headerLines && !(sums && scanner.startsWith(geneCell, sums))) return true
  }
  return false
}

function readRows(bytes: Buffer, form: TableForm): UnknownRows {
  const { geneCell, typeCell, symbolCell } = form
  const ids: string[] = []
  const types: string[] = []
  const symbols: string[] = []
  const scanner = scannerOf(bytes, form)
  const text = (cell: number | undefined) =>
    cell !== undefined && cell < scanner.cells ? scanner.text(cell) : ''
  while (nextGene(scanner, form)) {
    ids.push(text(geneCell))
    types.push(text(typeCell))
    symbols.push(text(symbolCell))
  }
  return {
    ids,
    types: typeCell === undefined ? undefined : types,
    symbols: symbolCell === undefined ? undefined : symbols,
  }
}

/** Reads the values, or returns undefined if the file's rows do not match the layout. */
function readValues(bytes: Buffer, form: TableForm, layout: GeneLayout) {
  const { places, ends, stored } = layout
  const { names, geneCell, headerLines, scale } = form
  const scanner = scannerOf(bytes, form)
  const cell = form.values[0]?.cell ?? 0
  const issues = new IssueList()
  const reader = new ValueReader(scanner, issues, scale)
  const repeated = RepeatedColumns.find(names, headerLines)
  const fixed = new Uint32Array(stored).fill(ABSENT)
  const unclear = new Set<number>()
  let doubles: Float64Array | undefined
  const valueAt = (place: number) =>
    fixed[place] === ABSENT ? (doubles?.[place] ?? Number.NaN) : asDouble(fixed[place]!)
  let row = 0
  for (; nextGene(scanner, form); row++) {
    if (row === ends.length || !isGeneOf(layout, row, scanner, geneCell)) return undefined
    const issue = rowIssue(scanner, form)
    if (issue !== undefined) {
      issues.add(scanner.line, issue)
      continue
    }
    repeated?.compare(scanner.texts(), scanner.line)
    const value = reader.read(cell)
    const place = places[row]!
    if (place === LEFT_OUT) continue
    if (place < LEFT_OUT) {
      const first = repeatedPlace(place)
      const number = value === NEEDS_DOUBLE ? reader.double : asDouble(value)
      if (Object.is(number, valueAt(first))) continue
      unclear.add(first)
      issues.add(scanner.line, otherValues(scanner.text(geneCell)))
    } else if (value === NEEDS_DOUBLE) {
      doubles ??= new Float64Array(stored).fill(Number.NaN)
      doubles[place] = reader.double
    } else fixed[place] = value
  }
  if (row !== ends.length) return undefined
  for (const place of unclear) {
    fixed[place] = ABSENT
    if (doubles) doubles[place] = Number.NaN
  }
  const values = doubles ? widened(fixed, doubles) : fixed
  const empty = reader.empty.get(cell) ?? 0
  return { values, issues: issues.issues, empty, facts: factsOfSample(values) }
}

function rowIssue(scanner: CellScanner, { names, geneCell }: TableForm): string | undefined {
  if (scanner.continues) return CONTINUES
  if (scanner.cells !== names.length) return wrongWidth(scanner.cells, names.length)
  return scanner.start(geneCell) === scanner.end(geneCell) ? NO_GENE : undefined
}

function isGeneOf(
  { ids, ends }: GeneLayout,
  row: number,
  scanner: CellScanner,
  cell: number,
): boolean {
  const { bytes } = scanner
  const isThere = cell < scanner.cells
  const end = isThere ? scanner.end(cell) : 0
  let place = isThere ? scanner.start(cell) : 0
  let at = row === 0 ? 0 : ends[row - 1]!
  if (ends[row]! - at !== end - place) return false
  for (; place < end; place++, at++) if (bytes[place] !== ids[at]) return false
  return true
}

/** Adds the values that did not need doubles to the doubles. */
function widened(fixed: Uint32Array, doubles: Float64Array): Float64Array {
  for (let place = 0; place < fixed.length; place++) {
    if (fixed[place] !== ABSENT) doubles[place] = asDouble(fixed[place]!)
  }
  return doubles
}
