import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import {
  AsyncByteQueue,
  type Data,
  Float64,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  type Schema,
  Struct,
  Uint32,
  Utf8,
  vectorFromArray,
} from 'apache-arrow'
import type { WrittenFile } from '../../../shared/arrays/array-file.ts'
import { BATCH_BYTES, type MatrixFacts, type MatrixRow, matrixSchema } from './matrix-format.ts'

/**
 * Writes an expression matrix as an Arrow file; matrix-format.ts describes the order of rows and cases.
 * Memory use does not depend on the number of genes.
 */
export async function writeMatrix(
  path: string,
  facts: MatrixFacts,
  rows: AsyncIterable<MatrixRow> | Iterable<MatrixRow>,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<WrittenFile> {
  let bytes = 0
  let checksum = 0
  await pipeline(
    async function* () {
      for await (const chunk of chunks(facts, rows)) {
        bytes += chunk.length
        checksum = crc32(chunk, checksum)
        yield chunk
      }
    },
    createWriteStream(path, { flags: 'wx' }),
    { signal },
  )
  return { bytes, crc32: checksum }
}

/**
 * Receives the output of the Arrow library, so that it can be read batch by batch. The library's own stream
 * keeps all output in memory.
 */
class Written extends AsyncByteQueue {
  readonly #chunks: Uint8Array[] = []

  override write(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
  }

  take(): Uint8Array[] {
    return this.#chunks.splice(0)
  }
}

async function* chunks(facts: MatrixFacts, rows: AsyncIterable<MatrixRow> | Iterable<MatrixRow>) {
  const written = new Written()
  const writer = new RecordBatchFileWriter()
  writer.reset(written, matrixSchema(facts))
  for await (const batch of batches(facts, rows)) {
    writer.write(batch)
    yield* written.take()
  }
  writer.close()
  yield* written.take()
}

async function* batches(facts: MatrixFacts, rows: AsyncIterable<MatrixRow> | Iterable<MatrixRow>) {
  const schema = matrixSchema(facts)
  const width = facts.kind === 'fixed' ? 4 : 8
  const most = Math.max(1, Math.floor(BATCH_BYTES / (width * Math.max(1, facts.cases.length))))
  let batch: MatrixRow[] = []
  let last = ''
  let written = 0
  for await (const row of rows) {
    if (written > 0 && Buffer.compare(Buffer.from(last), Buffer.from(row.geneId)) >= 0) {
      throw new Error('genes of a matrix must ascend')
    }
    last = row.geneId
    written++
    batch.push(row)
    if (batch.length < most) continue
    yield recordBatch(schema, facts, batch)
    batch = []
  }
  if (written !== facts.genes) throw new Error(`${written} genes instead of ${facts.genes}`)
  if (batch.length > 0) yield recordBatch(schema, facts, batch)
}

function recordBatch(schema: Schema, { kind, cases }: MatrixFacts, rows: readonly MatrixRow[]) {
  const { length } = rows
  const count = length * cases.length
  const data = kind === 'fixed' ? new Uint32Array(count) : new Float64Array(count)
  for (const [row, { values }] of rows.entries()) {
    if (values.length !== cases.length) throw new Error('a row of a matrix has another length')
    data.set(values, row * cases.length)
  }
  const type = kind === 'fixed' ? new Uint32() : new Float64()
  const child = makeData({ type, length: count, nullCount: 0, data } as never) as Data
  const [, , values] = schema.fields
  const children = [
    texts(rows.map(({ geneId }) => geneId)),
    texts(rows.map(({ symbol }) => symbol)),
    makeData({ type: values?.type, length, nullCount: 0, child } as never) as Data,
  ]
  const struct = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children })
  return new RecordBatch(schema, struct)
}

function texts(values: readonly (string | null)[]): Data {
  const [data] = vectorFromArray(values, new Utf8()).data
  if (!data) throw new Error('a vector has no data')
  return data
}
