import { inOrder } from '../../shared/concurrency/in-order.ts'
import type { Executor } from '../../shared/executor.ts'
import { ByteSink } from '../../shared/formats/byte-sink.ts'
import { writeLine } from '../../shared/formats/table-cells.ts'
import { END_BYTES, padded, tarHeader } from '../files/download/tar-header.ts'
import { ChunkSizes } from '../render/chunk-sizes.ts'
import type { Projection } from '../render/projection.ts'
import type { RecordHandles } from '../render/records.ts'
import { type CaseChunk, type CaseForm, caseTablesJob } from './case-chunk.ts'
import { bytesOf, sumOf, type TableMeasure } from './table-lines.ts'
import { type CaseTable, TABLES, type TableKind } from './tables.ts'

/** Cases of a release to archive. The release must stay open until all of them are written. */
export interface CaseArchive {
  readonly kind: TableKind
  readonly projection: Projection
  readonly handles: RecordHandles
  readonly rows: Uint32Array
  /** Modification time of the archive's members. */
  readonly modified: Date
  readonly executor: Executor
  readonly signal: AbortSignal
}

/** Bytes of lines kept from the measuring pass, so that a small archive is rendered only once. */
const HELD_BYTES = 8 << 20

const NOTHING: TableMeasure = { rows: 0, bytes: 0, used: {} }

interface MeasuredChunk {
  readonly start: number
  readonly end: number
  /** Lines of each table with its fixed columns. Undefined for a table whose lines have to be rendered again. */
  readonly lines: readonly Uint8Array[] | undefined
}

/**
 * Streams a tar archive of tables (data-commons.md 11.42). Measures all tables before it resolves, because tar
 * headers contain the size of a file before its content. Keeps a few chunks and some lines in memory, whatever
 * the number of cases.
 * @throws EngineError corrupt_source if the release is damaged, busy if too many jobs are waiting
 */
export async function tarOfCases(archive: CaseArchive): Promise<AsyncGenerator<Uint8Array>> {
  const chunks: MeasuredChunk[] = []
  const totals = TABLES[archive.kind].map(() => NOTHING)
  let held = 0
  for await (const { start, end, chunk } of inChunks(archive, () => ({ name: 'measure' }))) {
    const { bytes, measures } = chunk
    held += bytes.length
    chunks.push({ start, end, lines: held <= HELD_BYTES ? cut(bytes, measures) : undefined })
    for (const [i, measure] of measures.entries()) totals[i] = sumOf(totals[i] ?? NOTHING, measure)
  }
  return tarFrom(archive, chunks, totals)
}

/** Streams the cases as a JSON array. */
export async function* jsonOfCases(
  archive: CaseArchive,
  pretty: boolean,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from('[')
  const formOf = (start: number): CaseForm => ({ name: 'json', pretty, isFirst: start === 0 })
  for await (const { chunk } of inChunks(archive, formOf)) yield chunk.bytes
  yield Buffer.from(pretty && archive.rows.length > 0 ? '\n]' : ']')
}

async function* tarFrom(
  archive: CaseArchive,
  chunks: readonly MeasuredChunk[],
  totals: readonly TableMeasure[],
): AsyncGenerator<Uint8Array> {
  for (const [i, table] of TABLES[archive.kind].entries()) {
    const measure = totals[i] ?? NOTHING
    const more = table.columns.ifUsed
      .map(({ name }) => name)
      .filter((name) => Object.hasOwn(measure.used, name))
    const head = headerLine(table, more)
    const size = head.length + bytesOf(measure)
    yield await tarHeader({ path: table.fileName, size }, archive.modified)
    yield head
    yield* tableLines(archive, chunks, { name: 'lines', table: i, more })
    yield Buffer.alloc(padded(size) - size)
  }
  yield Buffer.alloc(END_BYTES)
}

/** Yields the lines of one table. Kept lines are used unless they lack columns. All others are rendered again. */
async function* tableLines(
  { rows, executor, signal, ...archive }: CaseArchive,
  chunks: readonly MeasuredChunk[],
  form: Extract<CaseForm, { name: 'lines' }>,
): AsyncGenerator<Uint8Array> {
  const rest = chunks.values()
  const next = (stop: AbortSignal): Promise<Uint8Array> | undefined => {
    const { value: chunk } = rest.next()
    if (!chunk) return undefined
    const lines = form.more.length === 0 ? chunk.lines?.[form.table] : undefined
    if (lines) return Promise.resolve(lines)
    const input = inputOf(archive, rows.slice(chunk.start, chunk.end), form)
    const run = executor.run(caseTablesJob, input, { signal: stop, priority: LATER_PRIORITY })
    return run.then(({ bytes }) => bytes)
  }
  yield* inOrder(next, { ahead: 2 * executor.parallelism, signal })
}

/** Priority of all chunks but the first, so that small responses overtake large ones. */
const LATER_PRIORITY = 1

interface WrittenChunk {
  readonly start: number
  readonly end: number
  readonly chunk: CaseChunk
}

/** Renders all cases in order, in chunks that take a few milliseconds each. */
async function* inChunks(
  { rows, executor, signal, ...archive }: CaseArchive,
  formOf: (start: number) => CaseForm,
): AsyncGenerator<WrittenChunk> {
  const sizes = new ChunkSizes()
  let from = 0
  const next = (stop: AbortSignal): Promise<WrittenChunk> | undefined => {
    if (from >= rows.length) return undefined
    const start = from
    const end = Math.min(start + sizes.next(), rows.length)
    from = end
    const input = inputOf(archive, rows.slice(start, end), formOf(start))
    const priority = start === 0 ? 0 : LATER_PRIORITY
    return executor.run(caseTablesJob, input, { signal: stop, priority }).then((chunk) => {
      sizes.measured(end - start, chunk.work)
      return { start, end, chunk }
    })
  }
  yield* inOrder(next, { ahead: 2 * executor.parallelism, signal })
}

const inputOf = (
  { handles, projection, kind }: Pick<CaseArchive, 'handles' | 'projection' | 'kind'>,
  rows: Uint32Array,
  form: CaseForm,
) => ({ ...handles, projection, kind, rows, form })

/** Splits the bytes of a chunk into the lines of each table. */
function cut(bytes: Uint8Array, measures: readonly TableMeasure[]): readonly Uint8Array[] {
  let at = 0
  return measures.map((measure) => {
    const lines = bytes.subarray(at, at + measure.bytes)
    at += measure.bytes
    return lines
  })
}

function headerLine({ columns }: CaseTable, more: readonly string[]): Uint8Array {
  const sink = new ByteSink(Buffer.allocUnsafe(1024))
  writeLine(sink, [...columns.always.map(({ name }) => name), ...more])
  return sink.take()
}
