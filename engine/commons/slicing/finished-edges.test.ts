import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { type Executor, inlineExecutor } from '../../shared/executor.ts'
import { openAlignment } from './alignment.ts'
import { FinishedEdges } from './finished-edges.ts'
import { makeBlockDirectory } from './make-directory.ts'
import { localAlignment } from './parts.ts'
import { DEFAULT_LIMITS, Slicer } from './slicer.ts'

let folder: string
let path: string
let directoryPath: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edges-'))
  path = join(folder, 'a.bam')
  directoryPath = join(folder, 'a.directory')
  await makeBam({ path, seed: 7, scale: 400_000, style: 'htslib' })
  await makeBlockDirectory(localAlignment({ path }), directoryPath, inlineExecutor)
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs jobs on this thread, and counts those that make edges. */
function countingExecutor(): Executor & { edges: number } {
  return {
    edges: 0,
    parallelism: 1,
    run(job, ...given) {
      if (job.name === 'slicing.edge') this.edges++
      return inlineExecutor.run(job, ...given)
    },
  }
}

const middle = () => ({
  intervals: [{ reference: 0, start: 10_001_200, end: 10_004_000 }],
  unplaced: false,
})

async function sliceWith(slicer: Slicer, isPlanned: boolean): Promise<Buffer> {
  const parts = localAlignment({ path, directoryPath })
  const chunks: Uint8Array[] = []
  if (isPlanned) {
    await using plan = await slicer.plan(parts, middle)
    for await (const chunk of (await plan.open()).body) chunks.push(Uint8Array.from(chunk))
  } else {
    for await (const chunk of (await slicer.slice(parts, middle)).body) {
      chunks.push(Uint8Array.from(chunk))
    }
  }
  return Buffer.concat(chunks)
}

test.each([false, true])(
  'a slice has its edges made once (planned first: %s)',
  async (isPlanned) => {
    const executor = countingExecutor()
    const slicer = new Slicer(executor, DEFAULT_LIMITS)
    const first = await sliceWith(slicer, isPlanned)
    const { edges } = executor
    expect(edges).toBeGreaterThan(0)
    expect(slicer.load().bufferBytes).toBeGreaterThan(0)
    for (const again of [false, true, false]) {
      expect((await sliceWith(slicer, again)).equals(first)).toBe(true)
    }
    expect(executor.edges).toBe(edges)
    // A file that is opened again may be another file.
    await slicer.close()
    await sliceWith(slicer, isPlanned)
    expect(executor.edges).toBe(2 * edges)
    await slicer.close()
  },
)

test('a plan of edges that are all known gives way between them', async () => {
  const executor = countingExecutor()
  // At each look at the clock, the time of the turn is used up.
  let now = 0
  const turns = new LoopTurns(() => {
    now += 1000
    return now
  })
  await using slicer = new Slicer(executor, DEFAULT_LIMITS, undefined, turns)
  const intervals = Array.from({ length: 1000 }, (_, i) => {
    const start = 10_000_000 + i * 20_000
    return { reference: 0, start, end: start + 50 }
  })
  const planned = async () => {
    const parts = localAlignment({ path, directoryPath })
    await using plan = await slicer.plan(parts, () => ({ intervals, unplaced: false }))
    return plan.fingerprint
  }
  const first = await planned()
  const { edges } = executor
  expect(edges).toBeGreaterThan(10)
  let passed = 0
  const count = () => {
    passed += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  expect(await planned()).toBe(first)
  clearImmediate(next)
  expect(executor.edges).toBe(edges)
  expect(passed).toBeGreaterThanOrEqual(edges)
})

test('edges of another opening, of other steps, and those used longest ago are not found', async () => {
  const open = () => openAlignment(localAlignment({ path }), inlineExecutor)
  const [one, other] = [await open(), await open()]
  const stepsAt = (beyond: number) => [
    { kind: 'reaching' as const, block: 0, inner: 0, reference: 0, floor: 0, position: 9, beyond },
  ]
  const edge = (value: number) => ({
    bytes: new Uint8Array(1000).fill(value),
    places: new Float64Array(3),
  })
  const edges = new FinishedEdges(5000)
  edges.keep(one, stepsAt(1), edge(1))
  expect(edges.find(one, stepsAt(1))).toEqual(edge(1))
  expect(edges.find(other, stepsAt(1))).toBeUndefined()
  expect(edges.find(one, stepsAt(Infinity))).toBeUndefined()
  edges.keep(one, stepsAt(2), edge(2))
  edges.keep(one, stepsAt(3), edge(3))
  edges.find(one, stepsAt(1))
  edges.keep(one, stepsAt(4), edge(4))
  expect(edges.bytes).toBeLessThanOrEqual(5000)
  expect(edges.find(one, stepsAt(2))).toBeUndefined()
  expect(edges.find(one, stepsAt(1))).toEqual(edge(1))
  // The cache keeps a copy, because buffers of edges are reused.
  const own = edge(5)
  edges.keep(one, stepsAt(5), own)
  own.bytes.fill(0)
  expect(edges.find(one, stepsAt(5))).toEqual(edge(5))
  const long = { bytes: new Uint8Array((1 << 17) + 1), places: new Float64Array(3) }
  const roomy = new FinishedEdges()
  roomy.keep(one, stepsAt(6), long)
  expect(roomy.find(one, stepsAt(6))).toBeUndefined()
  await one.blob.close()
  await other.blob.close()
})
