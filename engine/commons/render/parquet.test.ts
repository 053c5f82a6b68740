import { expect, test } from 'vitest'
import { inlineExecutor, Scratch } from '../../shared/executor.ts'
import { chunkBuffers } from '../release/chunk-buffers.ts'
import type { ChunkFormat } from './chunk.ts'
import { type Chunk, ChunkRenderer, type RenderedChunk } from './chunks.ts'
import { ColumnSources } from './column-sources.ts'
import { MAX_PARQUET_CHUNKS, MAX_PARQUET_COLUMNS, renderParquet } from './parquet.ts'

const neverRead = () => Promise.reject(new Error('nothing of the release is read'))
const context = {
  release: {
    load: neverRead,
    manifest: { datasets: {} as never },
    holds: () => false,
    buffers: chunkBuffers(),
    sizeOf: () => ({ bytes: 0, absent: 0, memory: 0 }),
    documents: neverRead,
  },
  executor: inlineExecutor,
  scratch: new Scratch(),
  columns: new ColumnSources(),
}
const projection = { dataset: 'files', members: [], parts: [] } as const

/** Rows with so many columns, whose values are never read. */
class WideChunks extends ChunkRenderer {
  readonly #columns: number

  constructor(columns: number) {
    const loaded = { releaseId: 'r', rows: {}, parts: {} } as never
    super(projection, new Uint32Array(100), { loaded, documents: {} }, context)
    this.#columns = columns
  }

  override async *all(_: (chunk: Chunk) => ChunkFormat): AsyncGenerator<RenderedChunk, undefined> {
    const columns = Array.from({ length: this.#columns }, (_, i) => ({
      key: `column.${i}`,
      kinds: 1,
    }))
    yield { start: 0, end: 1, bytes: new Uint8Array(0), columns, work: 0 }
  }
}

const begin = (columns: number, rows: number) =>
  renderParquet(new WideChunks(columns), { projection, rows }, context).next()

test('more columns than fit into memory are an error that says what to do', async () => {
  await expect(begin(MAX_PARQUET_COLUMNS + 1, 1)).rejects.toMatchObject({
    code: 'too_many',
    message: expect.stringMatching(/2001 columns.* at most 2000.*expand and fields/),
  })
})

test('more parts of columns than a footer may have are an error before the first byte', async () => {
  // The first row group has an eighth of the rows of another one.
  const rows = 2048 / 8 + 2048 * (MAX_PARQUET_CHUNKS / MAX_PARQUET_COLUMNS - 1)
  expect(await begin(MAX_PARQUET_COLUMNS, rows)).toMatchObject({ done: false })
  await expect(begin(MAX_PARQUET_COLUMNS, rows + 1)).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringMatching(/126 row groups of 2000 columns.*size and from/),
  })
})
