import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sample } from '../../../../test/depth.ts'
import { type Executor, inlineExecutor } from '../../../shared/executor.ts'
import { selectGenes } from './gene-selection.ts'
import { type Matrix, openMatrix } from './open-matrix.ts'
import { PagedRows } from './paged-rows.ts'
import { madeMatrix, matrixBytes, placesOf, someFixed, tableOf } from './support/made-matrix.ts'

/** A record batch of 4 MiB has eight genes, so the file has five batches. */
const CASES = 120_000
const GENES = 40
const PAGE_BYTES = 8 * 4 * CASES
/** File offset within the values of the third batch. */
const AMONG_VALUES = 2.5 * PAGE_BYTES

let folder: string
let bytes: Buffer
let whole: Matrix

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-paged-'))
  const random = randomNumbers(20_260)
  const values = Array.from({ length: GENES }, () =>
    Array.from({ length: CASES }, () => someFixed(random)),
  )
  bytes = await matrixBytes('fixed', values)
  whole = await madeMatrix('fixed', values)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Returns a linear congruential generator of numbers from 0 up to 1 (Numerical Recipes, section 7.1). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Opens a matrix with a memory limit. */
async function withPaged<Result>(
  { memoryBytes, executor = inlineExecutor }: { memoryBytes: number; executor?: Executor },
  use: (matrix: Matrix, path: string) => Promise<Result>,
): Promise<Result> {
  const path = join(folder, 'expression.arrow')
  await writeFile(path, bytes)
  const file = await open(path, 'r')
  try {
    const facts = { descriptor: file.fd, bytes: bytes.length, crc32: crc32(bytes) }
    return await use(await openMatrix(facts, executor, memoryBytes), path)
  } finally {
    await file.close()
  }
}

describe.each([1, 4 * PAGE_BYTES + 256, 6 * PAGE_BYTES + 256])(
  'with memory of %d bytes',
  (memoryBytes) => {
    test('a matrix in the file gives what one in memory gives', () =>
      withPaged({ memoryBytes }, async (matrix) => {
        expect(matrix.values).toBeInstanceOf(PagedRows)
        expect(matrix.geneIds).toEqual(whole.geneIds)
        expect(matrix.symbols).toEqual(whole.symbols)
        expect([...matrix.columns.keys()]).toEqual([...whole.columns.keys()])
        const random = randomNumbers(memoryBytes)
        for (let i = 0; i < 12; i++) {
          const some = (count: number, of: number) =>
            Array.from({ length: count }, () => Math.floor(random() * of))
          const asked = { rows: some(1 + (i % 7), GENES), columns: some(1 + i * 40, CASES) }
          const [ours, theirs] = await Promise.all([
            tableOf(matrix, 'uqfpkm', asked),
            tableOf(whole, 'uqfpkm', asked),
          ])
          expect(ours).toBe(theirs)
        }
        const { signal } = new AbortController()
        const run = { executor: inlineExecutor, signal }
        const limits = { size: 3, leastMedian: 0 }
        const all = { columns: placesOf(whole.cases.keys()), rows: placesOf(Array(GENES).keys()) }
        expect(await selectGenes({ matrix, ...all }, limits, run)).toEqual(
          await selectGenes({ matrix: whole, ...all }, limits, run),
        )
        const { memoryBytes: taken } = matrix.values as PagedRows
        // At least one page, with its padding.
        expect(taken).toBeLessThanOrEqual(Math.max(memoryBytes / 2, PAGE_BYTES + 64))
      }))
  },
)

test('many at the same time share few pages, and none is taken from under another', () =>
  withPaged({ memoryBytes: 4 * PAGE_BYTES + 256, executor: lateExecutor }, async (matrix) => {
    const { signal } = new AbortController()
    const first = (row: number) =>
      matrix.values.use(Uint32Array.of(row), signal, async ({ memory, offsets }) => {
        const before = [...new Uint32Array(memory, offsets[0], 8)]
        for (let i = 0; i < 5; i++) await setImmediate()
        expect([...new Uint32Array(memory, offsets[0], 8)]).toEqual(before)
        return before
      })
    const rows = Array.from({ length: 60 }, (_, i) => (i * 11) % GENES)
    const found = await Promise.all(rows.map(first))
    for (const [i, row] of rows.entries()) {
      const expected = await whole.values.use(
        Uint32Array.of(row),
        signal,
        ({ memory, offsets }) => [...new Uint32Array(memory, offsets[0], 8)],
      )
      expect(found[i]).toEqual(expected)
    }
  }))

/** Executor that yields before each job, so that other tasks run first. */
const lateExecutor: Executor = {
  parallelism: 2,
  async run(job, input, options) {
    await setImmediate()
    return inlineExecutor.run(job, input, options)
  },
}

test('a client that leaves while waiting for a page takes none, and others get theirs', () =>
  withPaged({ memoryBytes: 1 }, async (matrix) => {
    const leaving = new AbortController()
    const { signal } = new AbortController()
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    const holding = matrix.values.use(Uint32Array.of(0), signal, () => held)
    const left = matrix.values.use(Uint32Array.of(9), leaving.signal, () => 'worked')
    const staying = matrix.values.use(Uint32Array.of(33), signal, () => 'worked')
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    letGo()
    await holding
    expect(await staying).toBe('worked')
  }))

test('what changes in the file after it was opened is damage, reported each time and to all', () =>
  withPaged({ memoryBytes: 1 }, async (matrix, path) => {
    const changed = Buffer.from(bytes)
    changed[AMONG_VALUES]! ^= 1
    const file = await open(path, 'r+')
    await file.write(changed, 0, changed.length, 0)
    await file.close()
    const { signal } = new AbortController()
    const rows = Array.from({ length: GENES }, (_, row) => Uint32Array.of(row))
    for (let i = 0; i < 2; i++) {
      const told = await Promise.allSettled(
        rows.map((row) => matrix.values.use(row, signal, () => undefined)),
      )
      const failed = told.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
      // All eight genes of the damaged batch fail.
      expect(failed).toHaveLength(8)
      for (const error of failed) {
        expect(error).toMatchObject({ code: 'corrupt_source', at: 'expression.arrow' })
      }
    }
  }))

test('a file that is not what was written is damage when it is opened', async () => {
  const damage = { code: 'corrupt_source', at: 'expression.arrow' }
  const path = join(folder, 'damaged.arrow')
  const cut = (length: number) => bytes.subarray(0, length)
  const flipped = (place: number) => {
    const copy = Buffer.from(bytes)
    copy[place]! ^= 0x40
    return copy
  }
  const cuts = [0, 9, 1 << 20, bytes.length - 1].map(cut)
  const flips = [3, 9, AMONG_VALUES, bytes.length - 20].map(flipped)
  for (const body of sample([...cuts, ...flips], 3)) {
    await writeFile(path, body)
    const file = await open(path, 'r')
    try {
      const facts = { descriptor: file.fd, bytes: bytes.length, crc32: crc32(bytes) }
      await expect(openMatrix(facts, inlineExecutor, 1)).rejects.toMatchObject(damage)
    } finally {
      await file.close()
    }
  }
})
