import type { Job, Scratch } from '../../../shared/executor.ts'
import { ByteSink } from '../../../shared/formats/byte-sink.ts'
import { cellOf, writeLine } from '../../../shared/formats/table-cells.ts'
import type { Projection } from '../../render/projection.ts'
import { Projector } from '../../render/projector.ts'
import { openRecords, type RecordHandles } from '../../render/records.ts'
import { indent } from '../../render/write-hits.ts'
import type { Frequencies } from './frequency.ts'
import {
  type CellsOf,
  COHORT_NAMES,
  geneCells,
  geneNames,
  mutationCells,
  projectNames,
} from './frequency-columns.ts'

/** Selects the columns of a table. */
export interface FrequencyTable {
  readonly records: 'genes' | 'ssms'
  /** Id of the gene that the request is restricted to. */
  readonly geneId?: string | undefined
  readonly symbol?: string | undefined
  readonly project?: string | undefined
}

/** Output format: lines of a table, or elements of a JSON array. */
export interface FrequencyForm {
  readonly format: 'tsv' | 'json'
  readonly pretty: boolean
}

interface FrequencyChunkInput extends RecordHandles {
  readonly projection: Projection
  readonly table: FrequencyTable
  readonly form: FrequencyForm
  /** Counts for the rows of this chunk. */
  readonly counts: Frequencies
  readonly isFirst: boolean
}

interface FrequencyChunk {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Number of characters of documents that were read, as a measure of work. */
  readonly work: number
}

const BUFFER_BYTES = 1 << 20
const MARGIN = '  '

/** Returns the names of a table's columns, in order. */
export const columnsOf = (table: FrequencyTable): readonly string[] =>
  Object.keys(cellsOf(table)({}, NOTHING))

const NOTHING = {
  cohort: 0,
  all: 0,
  gains: 0,
  losses: 0,
  mutations: 0,
  tested: { cohort: 0, all: 0, copies: 0 },
}

function cellsOf({ records, geneId, symbol, project }: FrequencyTable): CellsOf {
  if (records === 'genes') return geneCells
  if (symbol !== undefined) return mutationCells(geneNames(symbol), geneId)
  return mutationCells(project === undefined ? COHORT_NAMES : projectNames(project))
}

/** Columns of decimal numbers: an integer value is written with a decimal point. */
const DECIMALS: ReadonlySet<string> = new Set(['sift_score', 'polyphen_score'])

/**
 * Writes the documents of some records together with their counts.
 * @throws EngineError corrupt_source if a document is damaged
 */
function writeFrequencies(input: FrequencyChunkInput, scratch: Scratch): FrequencyChunk {
  const { projection, table, form, counts, isFirst } = input
  const { rows, tested } = counts
  const sink = new ByteSink(scratch.bytes('frequencies', BUFFER_BYTES))
  const projector = new Projector(openRecords(input, scratch))
  const cells = cellsOf(table)
  let i = 0
  for (const record of projector.hits(projection, rows)) {
    const at = (column: Uint32Array) => column[i] ?? 0
    const { cohort, all, gains, losses, mutations } = counts
    const own = { cohort: at(cohort), all: at(all), gains: at(gains), losses: at(losses) }
    const row = cells(record, { ...own, mutations: at(mutations), tested })
    if (form.format === 'tsv') writeLine(sink, Object.entries(row).map(textOf))
    else writeElement(row, sink, form.pretty, isFirst && i === 0)
    i++
  }
  return { bytes: sink.take(), work: projector.characters }
}

function writeElement(row: object, sink: ByteSink, pretty: boolean, isFirst: boolean): void {
  if (!isFirst) sink.text(',')
  // A percentage is text with two decimals in a table, and a number in JSON.
  const values = Object.entries(row).map(([name, value]) => [
    name,
    name.endsWith('_percentage') && value !== null ? Number(value) : value,
  ])
  const one: unknown = Object.fromEntries(values)
  sink.text(pretty ? `\n${MARGIN}${indent(one, MARGIN)}` : JSON.stringify(one))
}

function textOf([name, value]: readonly [string, string | number | null]): string {
  return cellOf(value, DECIMALS.has(name))
}

export const frequencyChunkJob: Job<FrequencyChunkInput, FrequencyChunk> = {
  name: 'mutation-counts.table',
  run: writeFrequencies,
  transfer: ({ bytes }) => [bytes.buffer],
}
