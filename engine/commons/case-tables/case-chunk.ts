import type { Job, Scratch } from '../../shared/executor.ts'
import { ByteSink } from '../../shared/formats/byte-sink.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'
import type { Projection } from '../render/projection.ts'
import { Projector } from '../render/projector.ts'
import { openRecords, type RecordHandles } from '../render/records.ts'
import { indent } from '../render/write-hits.ts'
import { measureLines, type TableMeasure, writeLines } from './table-lines.ts'
import { TABLES, type TableKind } from './tables.ts'

/** Output form of a chunk of cases. */
export type CaseForm =
  /** The lines of all tables, one table after the other, with the fixed columns. */
  | { readonly name: 'measure' }
  /** The lines of one table, with these columns in addition to the fixed ones. */
  | { readonly name: 'lines'; readonly table: number; readonly more: readonly string[] }
  /** Elements of a JSON array. */
  | { readonly name: 'json'; readonly pretty: boolean; readonly isFirst: boolean }

interface CaseChunkInput extends RecordHandles {
  readonly projection: Projection
  readonly rows: Uint32Array
  readonly kind: TableKind
  readonly form: CaseForm
}

export interface CaseChunk {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Measures of each table. Empty unless the form is `measure`. */
  readonly measures: readonly TableMeasure[]
  /** Characters of documents read or bytes written, whichever is greater. */
  readonly work: number
}

const BUFFER_BYTES = 1 << 20

/**
 * Renders some cases.
 * @throws EngineError corrupt_source if a document is damaged
 */
function writeCases(input: CaseChunkInput, scratch: Scratch): CaseChunk {
  const { projection, rows, kind, form } = input
  const sink = new ByteSink(scratch.bytes('case-tables', BUFFER_BYTES))
  const projector = new Projector(openRecords(input, scratch))
  const records = [...projector.hits(projection, rows)] as JsonObject[]
  const tables = TABLES[kind]
  let measures: readonly TableMeasure[] = []
  if (form.name === 'measure') measures = tables.map((table) => measureLines(table, records, sink))
  else if (form.name === 'json') writeElements(records, sink, form)
  else {
    const table = tables[form.table]
    const more = table?.columns.ifUsed.filter(({ name }) => form.more.includes(name)) ?? []
    if (table) writeLines(table, records, sink, more)
  }
  return { measures, work: Math.max(sink.length, projector.characters), bytes: sink.take() }
}

export const caseTablesJob: Job<CaseChunkInput, CaseChunk> = {
  name: 'case-tables.chunk',
  run: writeCases,
  transfer: ({ bytes }) => [bytes.buffer],
}

const MARGIN = '  '

/** Writes elements of an array, each with a leading comma except the first of the array. */
function writeElements(
  records: readonly JsonObject[],
  sink: ByteSink,
  { pretty, isFirst }: Extract<CaseForm, { name: 'json' }>,
): void {
  for (const [i, record] of records.entries()) {
    if (i > 0 || !isFirst) sink.text(',')
    sink.text(pretty ? `\n${MARGIN}${indent(record, MARGIN)}` : JSON.stringify(record))
  }
}
