import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Alignment } from '../../../engine/commons/slicing/alignment.ts'
import { EXTENT_BYTES } from '../../../engine/commons/slicing/buffers.ts'
import { type AlignmentPaths, localAlignment } from '../../../engine/commons/slicing/parts.ts'
import { DEFAULT_LIMITS, Slicer } from '../../../engine/commons/slicing/slicer.ts'
import { type ByteStream, inlineExecutor } from '../../../engine/shared/index.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { makeDirectory } from './support/slicing.ts'

// Buffers, open files and places are released exactly once wherever a slice ends: a buffer returned twice would
// be used by two slices at a time.

let folder = ''
let paths: AlignmentPaths

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-ends-'))
  const path = join(folder, 'made.bam')
  const directoryPath = `${path}.directory`
  paths = { path, indexPath: `${path}.bai`, directoryPath }
  await makeBam({ path, seed: 4, style: 'htslib', scale: 12e6 })
  await makeDirectory(path, directoryPath)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Inner parts of every reference, so that slices have both edges and copies. */
function inside({ header }: Alignment) {
  const intervals = Array.from(header.lengths, (length, reference) => ({
    reference,
    start: Math.floor(length / 7),
    end: length - Math.floor(length / 7),
  }))
  return { intervals, unplaced: true }
}

const chunksOf = (stream: ByteStream) => stream.body[Symbol.asyncIterator]()

async function bytesOf(stream: ByteStream): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const chunk of stream.body) parts.push(Buffer.from(chunk))
  return Buffer.concat(parts)
}

test.each(['directory', 'index'] as const)(
  'a slice by %s that is disposed of at any chunk gives all back, once',
  async (locate) => {
    const slicer = new Slicer(inlineExecutor, DEFAULT_LIMITS)
    const open = () => slicer.slice(localAlignment(paths), inside, { locate })
    const whole = await bytesOf(await open())
    let count = 0
    for await (const _ of (await open()).body) count++
    expect(count).toBeGreaterThan(5)

    const endEach = async () => {
      for (let taken = 0; taken <= count; taken++) {
        for (const isPending of [false, true]) {
          const slice = await open()
          const chunks = chunksOf(slice)
          for (let i = 0; i < taken; i++) await chunks.next()
          const pending = isPending ? chunks.next() : undefined
          pending?.catch(() => {})
          await Promise.all([slice[Symbol.asyncDispose](), slice[Symbol.asyncDispose]()])
          await pending?.catch(() => {})
          await slice[Symbol.asyncDispose]()
          expect(slicer.load().activeSlices).toBe(0)
        }
      }
      return slicer.load().bufferBytes
    }
    const used = await endEach()
    // A read still in progress when its slice ended returns its buffer a moment later.
    expect(await endEach()).toBeLessThanOrEqual(used + EXTENT_BYTES)
    const together = await Promise.all(Array.from({ length: 4 }, async () => bytesOf(await open())))
    for (const bytes of together) expect(bytes.equals(whole)).toBe(true)
    expect(slicer.load().activeSlices).toBe(0)
    await slicer.close()
    expect(slicer.load().openFiles).toBe(0)
  },
)

test('a slice that is read on after it was disposed of never ends as if it were whole', async () => {
  const slicer = new Slicer(inlineExecutor, DEFAULT_LIMITS)
  for (let taken = 0; ; taken++) {
    const slice = await slicer.slice(localAlignment(paths), inside)
    const chunks = chunksOf(slice)
    for (let i = 0; i < taken; i++) await chunks.next()
    await slice[Symbol.asyncDispose]()
    const rest = (async () => {
      for (let next = await chunks.next(); !next.done; next = await chunks.next());
    })()
    if ((await rest.catch((error: unknown) => error)) === undefined) {
      // Everything had been read before.
      expect(taken).toBeGreaterThan(5)
      break
    }
    await expect(rest).rejects.toMatchObject({ code: 'unavailable' })
  }
  await slicer.close()
})
