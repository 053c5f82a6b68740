import { copyFile, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Piece } from '../../../engine/commons/slicing/pieces.ts'
import type { PlanOptions, SlicePlan } from '../../../engine/commons/slicing/slicer.ts'
import type { ByteStream } from '../../../engine/shared/index.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { type Random, randomFrom } from '../../../fixtures/random.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { depth } from '../../depth.ts'
import { everyBytes, packBam } from './support/pack-bam.ts'
import { drawRequests, type SliceRequest } from './support/requests.ts'
import { FileSlicer, makeDirectory } from './support/slicing.ts'
import { inflateAll, MARKER, readBam, splitBlocks } from './support/strict-bam.ts'

// A planned slice has the same bytes as the streamed one. Its pieces are read from the stored file without the
// engine, as a whole and in parts.

const REQUESTS = depth(4, 12, 300)
const SPANS = depth(5, 10, 60)
const SEED = 4

let folder = ''
let pool: ThreadPool
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-plan-'))
  pool = new ThreadPool({ threads: 2 })
})
afterAll(async () => {
  await pool.close()
  await rm(folder, { recursive: true, force: true })
})

async function bytesOf(stream: ByteStream): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const chunk of stream.body) parts.push(Buffer.from(chunk))
  return Buffer.concat(parts)
}

/** Concatenates the pieces, as a client with a ticket does. */
async function joined(path: string, pieces: readonly Piece[] = []): Promise<Buffer> {
  const file = await open(path)
  try {
    const parts: Uint8Array[] = []
    for (const piece of pieces) {
      if (piece.kind === 'made') parts.push(piece.bytes)
      else {
        const bytes = Buffer.alloc(piece.end - piece.start)
        await file.read(bytes, 0, bytes.length, piece.start)
        parts.push(bytes)
      }
    }
    return Buffer.concat(parts)
  } finally {
    await file.close()
  }
}

/** Offsets at which pieces and blocks of a slice start, and its ends. */
function edgesOf(pieces: readonly Piece[], bytes: Buffer): number[] {
  const edges = [bytes.length]
  let at = 0
  for (const piece of pieces) {
    edges.push(at)
    at += piece.kind === 'made' ? piece.bytes.length : piece.end - piece.start
  }
  return [...edges, ...splitBlocks(bytes).map(({ offset }) => offset)]
}

/** Draws a span, often starting or ending at such an edge or next to it. */
function drawSpan(random: Random, edges: readonly number[], size: number) {
  const place = () => {
    const edge = edges[random.below(edges.length)]! - 1 + random.below(3)
    return Math.min(Math.max(random.chance(0.5) ? random.below(size) : edge, 0), size)
  }
  const [a, b] = [place(), place()]
  const start = Math.min(a, b, size - 1)
  return { start, end: Math.max(a, b, start + 1) }
}

async function checkPlanned(
  slicer: FileSlicer,
  path: string,
  request: SliceRequest,
  random: Random,
): Promise<void> {
  const { bytes, error } = await slicer.slice(request)
  if (error) throw error
  const planned = async <Result>(use: (plan: SlicePlan) => Promise<Result>) => {
    await using plan = await slicer.plan(request)
    return use(plan)
  }
  const { pieces, fingerprint } = await planned(async (plan) => {
    expect(plan.length).toBe(bytes.length)
    expect((await joined(path, plan.pieces)).equals(bytes)).toBe(true)
    expect((await bytesOf(await plan.open())).equals(bytes)).toBe(true)
    return plan
  })
  const edges = edgesOf(pieces ?? [], bytes)
  for (let i = 0; i < SPANS; i++) {
    const span = drawSpan(random, edges, bytes.length)
    await planned(async (plan) => {
      expect(plan.fingerprint).toBe(fingerprint)
      const part = await bytesOf(await plan.open(span))
      if (!part.equals(bytes.subarray(span.start, span.end))) {
        expect.fail(`bytes ${span.start} to ${span.end} of ${bytes.length} are others`)
      }
    })
  }
  expect(slicer.load().activeSlices).toBe(0)
}

interface Case {
  readonly name: string
  readonly make: (path: string) => Promise<unknown>
}

const CASES: readonly Case[] = [
  {
    name: 'a small file',
    make: (path) => makeBam({ path, seed: 31, scale: 'small', style: 'htslib' }),
  },
  {
    name: 'long records and empty blocks',
    make: (path) =>
      makeBam({
        path,
        seed: 32,
        scale: 'tiny',
        style: 'htsjdk',
        longRecords: true,
        emptyBlocks: true,
      }),
  },
]

describe.each(CASES)('$name', ({ name, make }) => {
  let path = ''
  beforeAll(async () => {
    path = join(folder, `${name.replaceAll(' ', '-')}.bam`)
    await make(path)
    await makeDirectory(path, `${path}.directory`)
  })

  test.each(['directory', 'index'] as const)(
    'planned by %s, it is the streamed slice, whole and in part',
    async (how) => {
      const paths =
        how === 'directory'
          ? { path, directoryPath: `${path}.directory` }
          : { path, indexPath: `${path}.bai` }
      const slicer = new FileSlicer(paths, pool)
      const bam = readBam(inflateAll(await readFile(path)))
      const random = randomFrom(SEED, how.length)
      for (const request of drawRequests(bam, SEED, REQUESTS)) {
        await checkPlanned(slicer, path, request, random)
      }
      await slicer.close()
    },
  )
})

test('with a marker behind every block, what is left out is not counted', async () => {
  const path = join(folder, 'joined.bam')
  await makeBam({ path, seed: 5, scale: 'tiny', style: 'htslib', index: 'none' })
  const { inflated } = readBam(inflateAll(await readFile(path)))
  const packed = packBam(inflated, everyBytes(1000, inflated.length))
  const blocks = splitBlocks(packed).flatMap(({ offset, length }) => [
    packed.subarray(offset, offset + length),
    MARKER,
  ])
  await writeFile(path, Buffer.concat(blocks))
  await makeDirectory(path, `${path}.directory`)
  const slicer = new FileSlicer({ path, directoryPath: `${path}.directory` })
  const random = randomFrom(SEED)
  for (const request of drawRequests(readBam(inflated), SEED, REQUESTS)) {
    await checkPlanned(slicer, path, request, random)
  }
  await slicer.close()
})

describe('what a fingerprint stands for', () => {
  let path = ''
  const chr1 = { reference: 'chr1', start: 0, end: Infinity }
  const request = { intervals: [chr1], unplaced: true }
  const printOf = async (slicer: FileSlicer, asked: SliceRequest, options?: PlanOptions) => {
    await using plan = await slicer.plan(asked, options)
    return plan.fingerprint
  }

  beforeAll(async () => {
    path = join(folder, 'printed.bam')
    await makeBam({ path, seed: 33, scale: 'tiny', style: 'htslib' })
    await makeDirectory(path, `${path}.directory`)
  })

  test('the places, the way to their edges, and the file', async () => {
    const [both, directoryPath, indexPath] = [path, `${path}.directory`, `${path}.bai`]
    const slicer = new FileSlicer({ path: both, directoryPath, indexPath })
    const print = await printOf(slicer, request)
    expect(print).toMatch(/^[\w-]{22}$/)
    const other = join(folder, 'other.bam')
    await copyFile(path, other)
    await copyFile(indexPath, `${other}.bai`)
    const elsewhere = new FileSlicer({ path: other, indexPath: `${other}.bai` })
    const prints = [
      print,
      await printOf(slicer, { ...request, unplaced: false }),
      await printOf(slicer, { ...request, intervals: [{ ...chr1, start: 1 }] }),
      await printOf(slicer, request, { locate: 'index' }),
      await printOf(elsewhere, request),
    ]
    expect(new Set(prints).size).toBe(prints.length)
    const again = { ...request, intervals: [chr1, { ...chr1, start: 100, end: 200 }] }
    expect(await printOf(slicer, again)).toBe(print)
    await Promise.all([slicer.close(), elsewhere.close()])
  })

  test('with more edges than are held there is none, and the slice is the same', async () => {
    const paths = { path, directoryPath: `${path}.directory` }
    const whole = new FileSlicer(paths)
    const bam = readBam(inflateAll(await readFile(path)))
    let without = 0
    for (const asked of drawRequests(bam, SEED, REQUESTS)) {
      const bytes = await whole.bytes(asked)
      for (const limits of [{ planBytes: 2000 }, { allPlanBytes: 2000 }]) {
        const slicer = new FileSlicer(paths, pool, limits)
        await using plan = await slicer.plan(asked)
        if (plan.length === undefined) {
          without++
          expect([plan.pieces, plan.fingerprint]).toEqual([undefined, undefined])
        }
        expect((await bytesOf(await plan.open())).equals(bytes)).toBe(true)
        expect(slicer.load()).toMatchObject({ activeSlices: 0 })
        await slicer.close()
      }
    }
    expect(without).toBeGreaterThan(REQUESTS / 4)
    await whole.close()
  })

  test('a plan that is disposed of gives all back, opened or not', async () => {
    const slicer = new FileSlicer({ path, directoryPath: `${path}.directory` }, pool)
    for (let taken = -1; taken < 4; taken++) {
      const plan = await slicer.plan(request)
      expect(slicer.load().activeSlices).toBe(1)
      if (taken >= 0) {
        const chunks = (await plan.open()).body[Symbol.asyncIterator]()
        for (let i = 0; i < taken; i++) await chunks.next()
      }
      await Promise.all([plan[Symbol.asyncDispose](), plan[Symbol.asyncDispose]()])
      expect(slicer.load().activeSlices).toBe(0)
    }
    const stop = new AbortController()
    stop.abort(new Error('left'))
    await expect(slicer.plan(request, { signal: stop.signal })).rejects.toThrow('left')
    await slicer.close()
    expect(slicer.load()).toMatchObject({ activeSlices: 0, openFiles: 0 })
  })
})
