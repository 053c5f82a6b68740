import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { edgeJob } from '../engine/commons/slicing/edge.ts'
import { headerJob } from '../engine/commons/slicing/header.ts'
import { indexJob } from '../engine/commons/slicing/index-file.ts'
import { verifyJob } from '../engine/commons/slicing/verify.ts'
import { MissingBytes } from '../engine/shared/blobs/source.ts'
import { EngineError } from '../engine/shared/errors.ts'
import { compressBlocks, END_MARKER } from '../engine/shared/formats/bgzf.ts'
import { validateManifestJob } from '../engine/submission/files/upload-manifest.ts'
import { depth } from '../test/depth.ts'
import { ThreadPool } from './pool.ts'

let pool: ThreadPool

beforeAll(() => {
  pool = new ThreadPool({ threads: 1, queueLength: 20 })
})

afterAll(() => pool.close())

/** Occupies the thread with one running job and one waiting job. */
const occupy = () =>
  Promise.all([blocks(50), blocks(50)].map((input) => pool.run(verifyJob, input)))

/** A job that occupies a thread for a few milliseconds by inflating `count` blocks. */
function blocks(count: number) {
  const block = compressBlocks(new Uint8Array(65_000).map((_, i) => (i * 7919) & 0xff))[0]!
  const bytes = new Uint8Array(new SharedArrayBuffer(block.length * count))
  for (let i = 0; i < count; i++) bytes.set(block, i * block.length)
  return {
    bytes,
    starts: Uint32Array.from({ length: count }, (_, i) => i * block.length),
    lengths: new Uint32Array(count).fill(block.length),
  }
}

const idle = {
  source: { descriptor: -1, size: 0 },
  format: { kind: 'BAM' } as const,
  steps: [],
  target: new Uint8Array(0),
}

test('a job runs in a thread and its output comes back', async () => {
  const { checksums } = await pool.run(verifyJob, blocks(3))
  expect(checksums).toHaveLength(3)
})

test('shared memory is seen by the thread without being copied', async () => {
  const input = blocks(2)
  input.bytes[input.starts[1]! + 30]! ^= 0xff
  expect((await pool.run(verifyJob, input)).checksums).toHaveLength(1)
})

test('an error of the engine crosses with its code, message and cause', async () => {
  const failed = pool.run(indexJob, { path: '/nowhere/at-all.bai' })
  await expect(failed).rejects.toBeInstanceOf(EngineError)
  await expect(failed).rejects.toMatchObject({
    code: 'no_index',
    message: 'index file cannot be used; index the file again',
    cause: expect.stringContaining('ENOENT'),
  })
})

test('a job names the bytes it has to be given', async () => {
  const source = { size: 1_000_000, pageBytes: 65_536, pages: new Map() }
  const missing = pool.run(headerJob, { source })
  await expect(missing).rejects.toBeInstanceOf(MissingBytes)
  await expect(missing).rejects.toMatchObject({ start: 0, end: 1_000_000 })
})

test('pages cross without being copied', async () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(28))
  const source = { size: 28, pageBytes: 64, pages: new Map([[0, bytes]]) }
  const steps = [{ kind: 'span', block: 0, inner: 0, length: 1 }] as const
  const run = () =>
    pool.run(edgeJob, {
      source,
      format: { kind: 'BAM' } as const,
      steps,
      target: new Uint8Array(0),
    })
  await expect(run()).rejects.toMatchObject({ message: expect.stringContaining('block header') })
  bytes.set(END_MARKER)
  await expect(run()).rejects.toMatchObject({ message: expect.stringContaining('cut off') })
})

test('jobs of a lower number run first, equal ones in the order they came', async () => {
  const order: string[] = []
  const long = occupy()
  const jobs = (
    [
      ['c', 5],
      ['a', 0],
      ['d', 5],
      ['b', 1],
    ] as const
  ).map(async ([name, priority]) => {
    await pool.run(edgeJob, idle, { priority })
    order.push(name)
  })
  await Promise.all([long, ...jobs])
  expect(order).toEqual(['a', 'b', 'c', 'd'])
})

test('a job that is aborted while it waits never runs', async () => {
  const long = occupy()
  const stop = new AbortController()
  const queued = pool.queued
  const aborted = pool.run(edgeJob, idle, { signal: stop.signal })
  expect(pool.queued).toBe(queued + 1)
  stop.abort(new Error('not wanted any more'))
  await expect(aborted).rejects.toThrow('not wanted any more')
  expect(pool.queued).toBe(queued)
  await long
})

test('a job that is aborted while it runs settles when it has ended', async () => {
  const stop = new AbortController()
  const running = pool.run(verifyJob, blocks(200), { signal: stop.signal })
  stop.abort(new Error('gone'))
  expect((await running).checksums).toHaveLength(200)
})

test('a full queue turns jobs away', async () => {
  const long = occupy()
  const waiting = Array.from({ length: 20 }, () => pool.run(edgeJob, idle))
  await expect(pool.run(edgeJob, idle)).rejects.toMatchObject({ code: 'busy' })
  await Promise.all([long, ...waiting])
})

test('nothing is begun while it closes', async () => {
  const other = new ThreadPool({ threads: 2 })
  const running = other.run(verifyJob, blocks(100)).catch((error: unknown) => error)
  const closed = other.close()
  const late = other.run(verifyJob, blocks(1))
  expect(other.running).toBe(1)
  await expect(late).rejects.toMatchObject({ code: 'unavailable' })
  await closed
  await running
})

test('closing rejects what waits', async () => {
  const other = new ThreadPool({ threads: 1 })
  const running = [1, 2].map(() =>
    other.run(verifyJob, blocks(100)).catch((error: unknown) => error),
  )
  const waiting = other.run(edgeJob, idle)
  const closed = other.close()
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
  await closed
  await Promise.all(running)
})

/** This input needs more memory than a thread of the pool below has. */
const costly = {
  bytes: Buffer.from(Array.from({ length: 20_000 }, (_, i) => `k${i}: 1\n`).join('')),
}

test('a thread that runs out of memory fails its job alone', async () => {
  const ended: string[] = []
  const small = new ThreadPool({
    threads: 1,
    heap: { youngMegabytes: 1, oldMegabytes: 24 },
    onThreadEnd: (job) => ended.push(job),
  })
  const lost = small.run(validateManifestJob, costly)
  // One of these jobs is queued in the thread, and the others in the pool.
  const others = [1, 2, 3].map(() => small.run(edgeJob, idle))
  await expect(lost).rejects.toBeInstanceOf(EngineError)
  await expect(lost).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('more memory'),
  })
  await Promise.all(others)
  await small.run(verifyJob, blocks(1))
  expect([ended, small.running]).toEqual([['submission-files.validate-manifest'], 0])
  await small.close()
})

test('another error of a job is reported as it is, and its thread goes on', async () => {
  const failed = pool.run(verifyJob, undefined as never)
  await expect(failed).rejects.toThrow(TypeError)
  await pool.run(edgeJob, idle)
})

describe('a pool whose jobs may be ended', () => {
  /** Repeats the same block for longer than a test may take. */
  const endless = () => {
    const { bytes, lengths } = blocks(1)
    const numbers = () => new Uint32Array(new SharedArrayBuffer(40_000_000))
    return { bytes, starts: numbers(), lengths: numbers().fill(lengths[0]!) }
  }

  test('ends one when its caller aborts it, and goes on with another thread', async () => {
    const ending = new ThreadPool({ threads: 1, endAfterMilliseconds: 3_600_000 })
    await ending.run(edgeJob, idle)
    const stop = new AbortController()
    const running = ending.run(verifyJob, endless(), { signal: stop.signal })
    const next = ending.run(edgeJob, idle)
    stop.abort(new Error('gone'))
    await expect(running).rejects.toThrow('gone')
    await next
    await ending.close()
  })

  /** There are many small blocks, so the thread is often creating a zlib stream. */
  const manyStreams = () => {
    const bytes = compressBlocks(new Uint8Array(100))[0]!
    const numbers = () => new Uint32Array(new SharedArrayBuffer(40_000_000))
    return { bytes, starts: numbers(), lengths: numbers().fill(bytes.length) }
  }

  // Without guardZlib, one of the first ten terminations would abort the process.
  test('ends threads that inflate, at any moment of it, and nothing else', async () => {
    const ending = new ThreadPool({ threads: 1, endAfterMilliseconds: 3_600_000 })
    const input = manyStreams()
    for (let i = 0; i < depth(10, 100, 1000); i++) {
      await ending.run(edgeJob, idle)
      const stop = new AbortController()
      const running = ending.run(verifyJob, input, { signal: stop.signal })
      await setTimeout(10 * Math.random())
      stop.abort(new Error('gone'))
      await expect(running).rejects.toThrow('gone')
    }
    await ending.close()
  })

  test('closes at any moment of inflating', async () => {
    const input = manyStreams()
    for (let i = 0; i < depth(5, 50, 500); i++) {
      const closing = new ThreadPool({ threads: 1 })
      await closing.run(edgeJob, idle)
      const running = [1, 2].map(() =>
        closing.run(verifyJob, input).catch((error: unknown) => error),
      )
      await setTimeout(10 * Math.random())
      await closing.close()
      expect(await Promise.all(running)).toMatchObject(Array(2).fill({ code: 'unavailable' }))
    }
  })

  test('ends one that takes longer than it may', async () => {
    const ending = new ThreadPool({ threads: 1, endAfterMilliseconds: 100 })
    const running = ending.run(verifyJob, endless())
    await expect(running).rejects.toMatchObject({
      code: 'too_large',
      message: 'this takes longer than the 0.1 seconds that it may; give less at a time',
    })
    expect(ending.running).toBe(0)
    await ending.close()
  })
})
