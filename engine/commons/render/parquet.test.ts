import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inlineExecutor, Scratch } from '../../shared/executor.ts'
import { chunkBuffers } from '../release/chunk-buffers.ts'
import type { RenderedChunk } from './chunks.ts'
import { ColumnSources } from './column-sources.ts'
import { MAX_PARQUET_COLUMNS, renderParquet } from './parquet.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-parquet-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('more columns than fit into memory are an error that says what to do', async () => {
  const columns = Array.from({ length: MAX_PARQUET_COLUMNS + 1 }, (_, i) => ({
    key: `column.${i}`,
    kinds: 1,
  }))
  async function* all(): AsyncGenerator<RenderedChunk, undefined> {
    yield { start: 0, end: 1, bytes: new Uint8Array(0), columns, work: 0 }
  }
  const projection = { dataset: 'files', members: [], parts: [] } as const
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
    temporaryFolder: folder,
  }
  await expect(renderParquet({ all }, projection, context)).rejects.toMatchObject({
    code: 'too_many',
    message: expect.stringMatching(/2001 columns.* at most 2000.*expand and fields/),
  })
  expect(await readdir(folder)).toEqual([])
})
