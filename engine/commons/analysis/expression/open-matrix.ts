import {
  type Data,
  type RecordBatch,
  RecordBatchReader,
  Schema,
  Table,
  tableToIPC,
} from 'apache-arrow'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { EXPRESSION_NAME } from '../../release/layout.ts'
import { damage } from '../../release/manifest.ts'
import type { ExtraFile } from '../../release/release.ts'
import {
  type MatrixCase,
  type MatrixFacts,
  type MatrixKind,
  METADATA_KEY,
  matrixSchema,
} from './matrix-format.ts'
import { type MatrixRows, RowsInMemory } from './matrix-rows.ts'
import { type Page, PagedRows } from './paged-rows.ts'
import { readBatchJob, readEndsJob } from './read-batch.ts'
import { readPartJob } from './read-part.ts'
import { sharedMemory } from './shared-memory.ts'

/** Description of an expression matrix. Its values stay in the buffer that the file was read into. */
export interface Matrix {
  readonly kind: MatrixKind
  readonly cases: readonly MatrixCase[]
  readonly columns: ReadonlyMap<string, number>
  readonly geneIds: readonly string[]
  readonly symbols: readonly (string | null)[]
  readonly rows: ReadonlyMap<string, number>
  readonly values: MatrixRows
}

/** Matrix with all values in memory. */
export interface MatrixInMemory extends Matrix {
  readonly values: RowsInMemory
}

const NO_ROWS = { memory: new SharedArrayBuffer(0), offsets: new Float64Array(0) }

/** Empty matrix, for a release without expression values. */
export const NO_MATRIX: Matrix = Object.freeze({
  kind: 'fixed',
  cases: [],
  columns: new Map(),
  geneIds: [],
  symbols: [],
  rows: new Map(),
  values: new RowsInMemory(NO_ROWS),
})

/** Number of bytes per read, which takes a few milliseconds. */
const PART_BYTES = 8 << 20

/** Share of the memory limit that caches pages of a larger matrix. The rest is for responses. */
const PAGES_SHARE = 0.5

/**
 * Opens the matrix of a release and verifies its checksum in parallel. A file up to the memory limit is read
 * into shared memory. A larger file is read in pages, so it must stay open as long as the matrix is used.
 * @throws EngineError corrupt_source naming the file; busy; unavailable without enough memory
 */
export function openMatrix(
  file: ExtraFile,
  executor: Executor,
  memoryBytes: number,
): Promise<Matrix> {
  return file.bytes > memoryBytes
    ? openPagedMatrix(file, executor, memoryBytes)
    : readMatrix(file, executor)
}

async function readMatrix(file: ExtraFile, executor: Executor): Promise<MatrixInMemory> {
  const memory = sharedMemory(file.bytes)
  const checksum = await readOn(
    file,
    executor,
    { position: 0, checksum: 0 },
    (position, length) => new Uint8Array(memory, position, length),
  )
  if (checksum !== file.crc32) throw damage(EXPRESSION_NAME, 'is not what was written')
  return matrixIn(memory)
}

/** Reads a file from an offset to its end, and returns the CRC32 of the whole file. */
async function readOn(
  { descriptor, bytes }: ExtraFile,
  executor: Executor,
  from: { readonly position: number; readonly checksum: number },
  memoryFor: (position: number, length: number) => Uint8Array,
): Promise<number> {
  let { checksum } = from
  for (let { position } = from; position < bytes; position += PART_BYTES) {
    const into = memoryFor(position, Math.min(PART_BYTES, bytes - position))
    const part = { descriptor, position, into, checksum }
    checksum = await executor.run(readPartJob, part).catch(unreadable)
  }
  return checksum
}

function unreadable(cause: unknown): never {
  if (cause instanceof EngineError && cause.code !== 'corrupt_source') throw cause
  throw damage(EXPRESSION_NAME, 'cannot be read', cause)
}

/**
 * Reads all record batches once, and records the offset and checksum of the values of each. Later reads are
 * verified against the checksums.
 */
async function openPagedMatrix(
  file: ExtraFile,
  executor: Executor,
  memoryBytes: number,
): Promise<Matrix> {
  const { descriptor, bytes } = file
  const ends = await executor.run(readEndsJob, { descriptor, bytes }).catch(unreadable)
  const facts = parsed(() => factsOf(ends.metadata))
  const rowBytes = rowBytesOf(facts)
  const schema = bareSchema(facts)
  const geneIds: string[] = []
  const symbols: (string | null)[] = []
  const pages: Page[] = []
  let { end: position, checksum } = ends
  for (;;) {
    const batch = await executor
      .run(readBatchJob, { descriptor, position, checksum, schema })
      .catch(unreadable)
    if (!batch) break
    const page = { ...batch, row: geneIds.length }
    if (page.bytes < batch.geneIds.length * rowBytes) {
      throw damage(EXPRESSION_NAME, 'has a batch with too few values')
    }
    if (batch.geneIds.length > 0) pages.push(page)
    for (const id of batch.geneIds) geneIds.push(id)
    for (const symbol of batch.symbols) symbols.push(symbol)
    position = batch.end
    checksum = batch.checksum
  }
  const memory = sharedMemory(PART_BYTES)
  checksum = await readOn(
    file,
    executor,
    { position, checksum },
    (_, length) => new Uint8Array(memory, 0, length),
  )
  if (checksum !== file.crc32) throw damage(EXPRESSION_NAME, 'is not what was written')
  const values = new PagedRows({ descriptor, rowBytes, pages }, executor, PAGES_SHARE * memoryBytes)
  return { ...placesOf(facts, geneIds), symbols, values }
}

/**
 * Parses an Arrow file in memory as an expression matrix.
 * @throws EngineError corrupt_source naming the file
 */
export function matrixIn(memory: SharedArrayBuffer): MatrixInMemory {
  return parsed(() => parseMatrix(memory))
}

function parsed<Result>(parse: () => Result): Result {
  try {
    return parse()
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    throw damage(EXPRESSION_NAME, 'is not a matrix', cause)
  }
}

function parseMatrix(memory: SharedArrayBuffer): MatrixInMemory {
  const reader = RecordBatchReader.from(new Uint8Array(memory))
  reader.open()
  const facts = factsOf(reader.schema.metadata.get(METADATA_KEY))
  const geneIds: string[] = []
  const symbols: (string | null)[] = []
  const offsets = new Float64Array(facts.genes)
  const rowBytes = rowBytesOf(facts)
  for (const batch of reader) {
    const start = valuesOffset(batch, memory)
    for (let i = 0; i < batch.numRows; i++) {
      offsets[geneIds.length] = start + i * rowBytes
      geneIds.push(String(batch.getChildAt(0)?.get(i)))
      symbols.push((batch.getChildAt(1)?.get(i) as string | null) ?? null)
    }
  }
  return { ...placesOf(facts, geneIds), symbols, values: new RowsInMemory({ memory, offsets }) }
}

function factsOf(metadata: string | undefined): MatrixFacts {
  const facts = JSON.parse(metadata ?? '{}') as MatrixFacts
  if (facts.format !== 1) throw damage(EXPRESSION_NAME, `is of format ${facts.format}, not 1`)
  return facts
}

function rowBytesOf({ kind, cases }: MatrixFacts): number {
  return (kind === 'fixed' ? 4 : 8) * cases.length
}

function placesOf({ kind, cases, genes }: MatrixFacts, geneIds: readonly string[]) {
  if (geneIds.length !== genes) {
    throw damage(EXPRESSION_NAME, `has ${geneIds.length} genes instead of ${genes}`)
  }
  return {
    kind,
    cases,
    geneIds,
    columns: new Map(cases.map(({ caseId }, column) => [caseId, column])),
    rows: new Map(geneIds.map((id, row) => [id, row])),
  }
}

/** Returns the Arrow schema without its metadata, which lists all cases and may be megabytes long. */
function bareSchema(facts: MatrixFacts): Uint8Array {
  const stream = tableToIPC(new Table(new Schema(matrixSchema(facts).fields)), 'stream')
  const end = stream.length - STREAM_END_BYTES
  const schema = new Uint8Array(new SharedArrayBuffer(end))
  schema.set(stream.subarray(0, end))
  return schema
}

/** Size in bytes of the end-of-stream marker: a continuation mark and a zero length. */
const STREAM_END_BYTES = 8

function valuesOffset(batch: RecordBatch, memory: SharedArrayBuffer): number {
  const [values] = batch.getChildAt(2)?.data ?? []
  const [child] = (values?.children ?? []) as Data[]
  const bytes = child?.values as Uint32Array | Float64Array | undefined
  // Threads receive the shared memory and an offset, so values copied elsewhere by the library are no use.
  if (bytes && bytes.buffer === memory) return bytes.byteOffset
  if (batch.numRows === 0 || bytes?.length === 0) return 0
  throw damage(EXPRESSION_NAME, 'has its values in an unknown place')
}
