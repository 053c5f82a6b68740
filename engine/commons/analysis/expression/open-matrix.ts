import { type Data, type RecordBatch, RecordBatchReader } from 'apache-arrow'
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
} from './matrix-format.ts'
import { readPartJob } from './read-part.ts'

/** A matrix in memory. Its values stay where the file's bytes were read to. */
export interface Matrix {
  readonly memory: SharedArrayBuffer
  readonly kind: MatrixKind
  /** By column. */
  readonly cases: readonly MatrixCase[]
  /** By ids in lower case. */
  readonly columns: ReadonlyMap<string, number>
  /** By row, ascending. */
  readonly geneIds: readonly string[]
  readonly symbols: readonly (string | null)[]
  readonly rows: ReadonlyMap<string, number>
  /** By row: where its values begin in the memory. */
  readonly offsets: Float64Array
}

/** That of a release without expression. */
export const NO_MATRIX: Matrix = Object.freeze({
  memory: new SharedArrayBuffer(0),
  kind: 'fixed',
  cases: [],
  columns: new Map(),
  geneIds: [],
  symbols: [],
  rows: new Map(),
  offsets: new Float64Array(0),
})

/** Read at a time: some milliseconds. */
const PART_BYTES = 8 << 20

/**
 * Reads the file of a release into shared memory, part by part in threads, and proves it. The file
 * must stay open meanwhile.
 * @throws EngineError corrupt_source naming the file; busy; unavailable without memory for it
 */
export async function openMatrix(file: ExtraFile, executor: Executor): Promise<Matrix> {
  const memory = sharedMemory(file.bytes)
  const { descriptor, bytes } = file
  let checksum = 0
  for (let position = 0; position < bytes; position += PART_BYTES) {
    const into = new Uint8Array(memory, position, Math.min(PART_BYTES, bytes - position))
    const part = { descriptor, position, into, checksum }
    checksum = await executor.run(readPartJob, part).catch((cause: unknown) => {
      if (cause instanceof EngineError && cause.code !== 'corrupt_source') throw cause
      throw damage(EXPRESSION_NAME, 'cannot be read', cause)
    })
  }
  if (checksum !== file.crc32) throw damage(EXPRESSION_NAME, 'is not what was written')
  return matrixIn(memory)
}

function sharedMemory(bytes: number): SharedArrayBuffer {
  try {
    return new SharedArrayBuffer(bytes)
  } catch (cause) {
    const message = `expression takes ${bytes} bytes of memory, which cannot be had`
    throw new EngineError('unavailable', message, { cause })
  }
}

/**
 * The matrix that the bytes of a file are.
 * @throws EngineError corrupt_source naming the file
 */
export function matrixIn(memory: SharedArrayBuffer): Matrix {
  try {
    return parseMatrix(memory)
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    throw damage(EXPRESSION_NAME, 'is not a matrix', cause)
  }
}

function parseMatrix(memory: SharedArrayBuffer): Matrix {
  const reader = RecordBatchReader.from(new Uint8Array(memory))
  reader.open()
  const facts = JSON.parse(reader.schema.metadata.get(METADATA_KEY) ?? '{}') as MatrixFacts
  if (facts.format !== 1) throw damage(EXPRESSION_NAME, `is of format ${facts.format}, not 1`)
  const geneIds: string[] = []
  const symbols: (string | null)[] = []
  const offsets = new Float64Array(facts.genes)
  const width = facts.kind === 'fixed' ? 4 : 8
  for (const batch of reader) {
    const start = valuesOffset(batch, memory)
    for (let i = 0; i < batch.numRows; i++) {
      offsets[geneIds.length] = start + i * width * facts.cases.length
      geneIds.push(String(batch.getChildAt(0)?.get(i)))
      symbols.push((batch.getChildAt(1)?.get(i) as string | null) ?? null)
    }
  }
  if (geneIds.length !== facts.genes) {
    throw damage(EXPRESSION_NAME, `has ${geneIds.length} genes instead of ${facts.genes}`)
  }
  return {
    memory,
    kind: facts.kind,
    cases: facts.cases,
    geneIds,
    symbols,
    offsets,
    columns: new Map(facts.cases.map(({ caseId }, column) => [caseId, column])),
    rows: new Map(geneIds.map((id, row) => [id, row])),
  }
}

function valuesOffset(batch: RecordBatch, memory: SharedArrayBuffer): number {
  const [values] = batch.getChildAt(2)?.data ?? []
  const [child] = (values?.children ?? []) as Data[]
  const bytes = child?.values as Uint32Array | Float64Array | undefined
  // Threads are given the memory and this place in it: a copy elsewhere would be of no use.
  if (bytes && bytes.buffer === memory) return bytes.byteOffset
  if (batch.numRows === 0 || bytes?.length === 0) return 0
  throw damage(EXPRESSION_NAME, 'has its values in an unknown place')
}
