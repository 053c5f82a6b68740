import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSingleCell } from '../../../../fixtures/single-cell.ts'
import { looms, tenX } from '../../../../test/commons/contract/support/cell-files.ts'
import { depth } from '../../../../test/depth.ts'
import { identityOf } from '../../../shared/blobs/identity.ts'
import { type Executor, inlineExecutor } from '../../../shared/executor.ts'
import { tableSpans, writeGenes } from './write-genes.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-write-genes-'))
})
afterAll(() => rm(folder, { recursive: true }))

const genes = Array.from({ length: 300 }, (_, i) => `ENSG${String(i).padStart(11, '0')}`)

/** Sorts a file by gene, and calls `look` with the name and output of each job. */
async function sorted(path: string, look: (job: string, output: unknown) => void) {
  const out = await mkdtemp(join(folder, 'out-'))
  const stopping = new AbortController()
  const executor: Executor = {
    parallelism: 2,
    async run(job, input, options) {
      const output = await inlineExecutor.run(job, input, options)
      try {
        look(job.name, output)
      } catch (error) {
        stopping.abort(error)
      }
      return output
    },
  }
  const state = { path, identity: identityOf(await stat(path, { bigint: true })) }
  const paths = { numbers: join(out, 'numbers'), directory: join(out, 'directory') }
  const run = {
    executor,
    signal: stopping.signal,
    priority: 0,
    temporaryPath: join(out, 'sorting'),
  }
  return { out, done: writeGenes(state, paths, run) }
}

const numberOf = (gene: number, cell: number) => ((gene * 7 + cell) % 5 === 0 ? 1 + (cell % 3) : 0)

async function given(kind: 'table' | 'sparse') {
  const path = join(folder, kind)
  if (kind === 'table') await makeSingleCell({ path, seed: 3, genes, cells: 200 })
  else await writeFile(path, await tenX({ genes, cells: 200, numberOf }))
  return path
}

test.each(['table', 'sparse'] as const)('of a %s only the two files remain', async (kind) => {
  const { out, done } = await sorted(await given(kind), () => {})
  await done
  expect((await readdir(out)).sort()).toEqual(['directory', 'numbers'])
})

test.each([
  ['table', 'single-cell.cell-names'],
  ['table', 'single-cell.pack-rows'],
  ['sparse', 'single-cell.count'],
  ['sparse', 'single-cell.spill'],
  ['sparse', 'single-cell.pack-group'],
] as const)('nothing remains of a %s when it ends at %s', async (kind, at) => {
  const { out, done } = await sorted(await given(kind), (job) => {
    if (job === at) throw new Error('enough')
  })
  await expect(done).rejects.toThrow('enough')
  expect(await readdir(out)).toEqual([])
})

test('the layers of a table are named, because they are not read', async () => {
  const path = join(folder, 'layers')
  await writeFile(path, (await looms({ genes, cells: 20, numberOf })).withLayers)
  const { done } = await sorted(path, () => {})
  expect(await done).toEqual(['layers["spliced"]', 'layers["unspliced"]'])
})

test('the parts of a table are all of it, and each fits into 16 MB', () => {
  const sizes = {
    genes: fc.nat(3000),
    cells: fc.nat(100_000),
    together: fc.integer({ min: 1, max: 4000 }),
  }
  fc.assert(
    fc.property(fc.record(sizes), ({ genes: rows, cells, together }) => {
      let numbers = 0
      let last = { firstRow: -1, start: -1 }
      for (const span of tableSpans(rows, cells, together)) {
        const part = (span.endRow - span.firstRow) * (span.end - span.start)
        expect(part).toBeGreaterThan(0)
        expect(8 * part).toBeLessThanOrEqual(16 << 20)
        const isNext = span.firstRow > last.firstRow || span.start > last.start
        expect(isNext).toBe(true)
        numbers += part
        last = span
      }
      expect(numbers).toBe(rows * cells)
    }),
    { seed: 64, numRuns: depth(12, 60) },
  )
})

test('chunks are unpacked once where their rows fit', () => {
  const heights = [...tableSpans(640, 10_000, 64)].map(({ firstRow, endRow }) => endRow - firstRow)
  // 4 MB hold 52 rows of 10,000 cells, but a chunk has 64 rows and is decompressed as a whole.
  expect(new Set(heights)).toEqual(new Set([64]))
  expect([...tableSpans(640, 1000, 64)][0]).toMatchObject({ firstRow: 0, endRow: 512 })
})
