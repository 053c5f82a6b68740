import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AlignmentPaths } from '../../../engine/commons/slicing/parts.ts'
import { type BamOptions, makeBam } from '../../../fixtures/bam/make-bam.ts'
import { type Random, randomFrom } from '../../../fixtures/random.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { available } from '../../available.ts'
import { depth, sample } from '../../depth.ts'
import { indexAll, SHARED_BAM, samtools, selectByBeds } from './support/clients.ts'
import { everyBytes, packBam } from './support/pack-bam.ts'
import { bedOf, drawRequests, type SliceRequest, select } from './support/requests.ts'
import { FileSlicer, makeDirectory } from './support/slicing.ts'
import { indexedCopy, indexesBeside, type SourceFile, sharedBams } from './support/sources.ts'
import {
  inflateAll,
  MARKER,
  ProvedBlocks,
  readBam,
  type StrictBam,
  type StrictBlock,
  type StrictRecord,
  splitBlocks,
} from './support/strict-bam.ts'

// Truth is samtools, in two steps, since starting it for each of thousands of requests takes too
// long: (1) a filter over all records of the source, decoded by a reader that shares no code with
// the engine, gives the expected bytes of every request; (2) for a sample of the same requests of
// every file, samtools gives the records itself (`samtools view -M -L bed`), and they must be the
// ones in our slice, byte by byte. So a filter that errs is found by the second step. The letters
// I1 to I9 number the invariants of a slice, so that a failure names one.

const REQUESTS = depth(24, 80, 200)
const SAMPLED = depth(5, 10, 25)
const SEED = 20240611

/**
 * Files of the shared folder that are not sliced here, with the reason. fault.ci.test.ts tests that they are
 * rejected.
 */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'bam-js/paired-region.namesorted.bam': 'its header says that it is sorted by name',
  'samtools/1.quickcheck.badeof.bam': 'it has no end marker',
  'samtools/2.quickcheck.badheader.bam': 'it is not BAM',
}

/** Files that samtools 1.16.1 cannot slice, for which only a scan of all records gives the expected result. */
const WITHOUT_SAMTOOLS: Readonly<Record<string, string>> = {
  'bam-js/large_coords.bam': 'samtools cannot read its header',
  'samtools/ce#unmap.bam': 'there is no reference for a BED to name',
  'samtools/10.quickcheck.notargets.bam': 'there is no reference for a BED to name',
}

interface Case {
  readonly name: string
  readonly make: (folder: string) => Promise<SourceFile>
  readonly sampled: boolean
}

const shared: Case[] = sharedBams()
  .filter((name) => !(name in LEFT_OUT))
  .map((name) => {
    const path = join(SHARED_BAM, name)
    const indexPaths = indexesBeside(path)
    return {
      name,
      make: async (folder) =>
        indexPaths.length > 0 || !available.samtools
          ? { path, indexPaths }
          : indexedCopy(path, folder),
      sampled: !(name in WITHOUT_SAMTOOLS),
    }
  })

const SYNTHETIC: readonly (readonly [name: string, options: Omit<BamOptions, 'path' | 'index'>])[] =
  [
    ['small in htslib style', { seed: 11, scale: 'small', style: 'htslib' }],
    ['small in htsjdk style', { seed: 12, scale: 'small', style: 'htsjdk' }],
    [
      'small, CSI of 4 kb windows',
      { seed: 13, scale: 'small', style: 'htsjdk', csi: { minShift: 12, depth: 6 } },
    ],
    [
      'small, CSI of 128 kb windows',
      { seed: 14, scale: 'small', style: 'htslib', csi: { minShift: 17, depth: 4 } },
    ],
    [
      'tiny with empty blocks, htslib',
      { seed: 15, scale: 'tiny', style: 'htslib', emptyBlocks: true },
    ],
    [
      'tiny with empty blocks, htsjdk',
      { seed: 16, scale: 'tiny', style: 'htsjdk', emptyBlocks: true },
    ],
    [
      'tiny with long records, htslib',
      { seed: 17, scale: 'tiny', style: 'htslib', longRecords: true },
    ],
    [
      'tiny with long records and empty blocks, htsjdk',
      { seed: 18, scale: 'tiny', style: 'htsjdk', longRecords: true, emptyBlocks: true },
    ],
  ]

const synthetic: Case[] = SYNTHETIC.map(([name, options]) => ({
  name,
  make: async (folder) => {
    const path = join(folder, `${name.replaceAll(/\W+/g, '-')}.bam`)
    await makeBam({ ...options, path, index: 'both' })
    return { path, indexPaths: [`${path}.bai`, `${path}.csi`] }
  },
  sampled: true,
}))

let folder = ''
let pool: ThreadPool
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-oracle-'))
  pool = new ThreadPool({ threads: 2 })
})
afterAll(async () => {
  await pool.close()
  await rm(folder, { recursive: true })
})

test.skipIf(!available.shared)(
  'every shared BAM is either sliced here or left out for a reason',
  () => {
    expect(sharedBams()).toEqual(expect.arrayContaining(Object.keys(LEFT_OUT)))
    expect(shared.length + Object.keys(LEFT_OUT).length).toBe(sharedBams().length)
    expect(shared.length).toBeGreaterThanOrEqual(40)
  },
)

describe.each([...sample(synthetic, 1), ...sample(shared, 2, 24)])(
  '$name',
  ({ name, make, sampled }) => {
    let source: SourceFile
    let bam: StrictBam
    let proved: ProvedBlocks
    let requests: SliceRequest[]
    // There is one slicer for each way to find records, because a slicer remembers files by path.
    let byDirectory: FileSlicer
    let byIndex: readonly FileSlicer[]

    beforeAll(async () => {
      source = await make(folder)
      const bytes = await readFile(source.path)
      proved = new ProvedBlocks(bytes)
      bam = readBam(inflateAll(bytes, proved))
      requests = drawRequests(bam, SEED, REQUESTS)
      const { path } = source
      const directoryPath = join(folder, `${name.replaceAll(/\W+/g, '-')}.directory`)
      const directory = await makeDirectory(path, directoryPath)
      expect(directory.records).toBe(bam.records.length)
      byDirectory = new FileSlicer({ path, directoryPath }, pool)
      byIndex = source.indexPaths.map((indexPath) => new FileSlicer({ path, indexPath }, pool))
    })
    afterAll(() => Promise.all([byDirectory, ...byIndex].map((slicer) => slicer.close())))

    test(`${REQUESTS} requests give the records that overlap them, by directory and index (I1-I5)`, async () => {
      let chosen = 0
      const check = async (request: SliceRequest, number: number) => {
        // Each of several indexes is used in turn.
        const index = byIndex[number % byIndex.length]
        const [expected, bytes] = await Promise.all([
          byDirectory.bytes(request),
          index?.bytes(request),
        ])
        chosen += expectSelected(expected, bam, request, proved)
        if (bytes && !bytes.equals(expected)) expectSelected(bytes, bam, request, proved)
      }
      for (let first = 0; first < REQUESTS; first += 4) {
        const some = requests.slice(first, first + 4)
        await Promise.all(some.map((request, i) => check(request, first + i)))
      }
      // If the requests miss the reads, the test proves nothing.
      if (bam.records.length > 20) expect(chosen).toBeGreaterThan(2 * REQUESTS)
    })

    test.skipIf(!available.samtools || !sampled)(
      `${SAMPLED} of them have the records of samtools view -M -L (I1)`,
      async () => {
        const random = randomFrom(SEED, 2)
        const theirPath = `${source.path}##idx##${source.indexPaths[0]}`
        const asked = requests.filter(({ intervals }) => intervals.length > 0)
        if (asked.length === 0) asked.push({ intervals: [], unplaced: false })
        const beds = await mkdtemp(join(folder, 'beds-'))
        const some = Array.from({ length: SAMPLED }, () => {
          return { intervals: asked[random.below(asked.length)]!.intervals, unplaced: false }
        })
        for (const [i, request] of some.entries()) {
          await writeFile(join(beds, `${i}.bed`), bedOf(request))
        }
        // samtools view x.bam '*'
        const unplaced = join(beds, 'unplaced.bam')
        const ownUnplaced = join(beds, 'ours.bam')
        await writeFile(ownUnplaced, await byDirectory.bytes({ intervals: [], unplaced: true }))
        await selectByBeds(theirPath, beds, { unplaced, checked: ownUnplaced })
        for (const [i, request] of some.entries()) {
          const theirs = await readFile(join(beds, `${i}.bed.bam`))
          const ours = await byDirectory.bytes(request)
          expect(recordsOf(ours, proved).equals(recordsOf(theirs)), JSON.stringify(request)).toBe(
            true,
          )
        }
        const ours = recordsOf(await readFile(ownUnplaced))
        expect(ours.equals(recordsOf(await readFile(unplaced)))).toBe(true)
        await rm(beds, { recursive: true })
      },
    )

    test('order, splitting and repetition of intervals and the executor change nothing (I8)', async () => {
      const random = randomFrom(SEED, 3)
      const inline = [byDirectory, ...byIndex].map(({ parts }) => new FileSlicer(parts))
      for (const request of requests.slice(0, 8)) {
        const other = { ...request, intervals: reordered(request, random) }
        for (const [i, slicer] of [byDirectory, ...byIndex].entries()) {
          const whole = await slicer.bytes(request)
          expect((await slicer.bytes(other)).equals(whole)).toBe(true)
          expect((await inline[i]!.bytes(other)).equals(whole)).toBe(true)
        }
      }
      for (const slicer of inline) await slicer.close()
    })

    test('a slice of two requests has the records of both, each as often as the source (I3, I7)', async () => {
      for (let i = 0; i < 16; i += 2) {
        const [a, b] = [requests[i]!, requests[i + 1]!]
        const both = {
          intervals: [...b.intervals, ...a.intervals],
          unplaced: a.unplaced || b.unplaced,
        }
        const expected = countRecords(await byDirectory.bytes(a), proved)
        for (const [record, count] of countRecords(await byDirectory.bytes(b), proved))
          expected.set(record, count)
        expect(countRecords(await byDirectory.bytes(both), proved)).toEqual(expected)
      }
    })

    test('a slice of a slice is the slice (I6)', async () => {
      const wanted = requests.slice(20, 24)
      const again = await mkdtemp(join(folder, 'again-'))
      const bamOf = (i: number) => join(again, `${i}.bam`)
      const once = await Promise.all(wanted.map((request) => byDirectory.bytes(request)))
      for (const [i, bytes] of once.entries()) {
        await writeFile(bamOf(i), bytes)
        await makeDirectory(bamOf(i), `${bamOf(i)}.directory`)
      }
      const isIndexed = available.samtools && sampled
      if (isIndexed) await indexAll(again)
      for (const [i, request] of wanted.entries()) {
        const path = bamOf(i)
        const paths: AlignmentPaths[] = [{ path, directoryPath: `${path}.directory` }]
        if (isIndexed) paths.push({ path, indexPath: `${path}.csi` })
        for (const slicer of paths.map((each) => new FileSlicer(each))) {
          expect(inflateAll(await slicer.bytes(request)).equals(inflateAll(once[i]!))).toBe(true)
          await slicer.close()
        }
      }
      await rm(again, { recursive: true })
    })

    test('an aborted slice is a prefix without a marker, or complete (I9)', async () => {
      const whole = { intervals: bam.references.map(wholeReference), unplaced: true }
      for (const slicer of [byDirectory, ...byIndex]) {
        const complete = await slicer.bytes(whole)
        for (const after of [0, 1, 2, 3, 5]) {
          const stop = new AbortController()
          const abortAt = (chunks: number) => {
            if (chunks === after) stop.abort(new Error('gone'))
          }
          abortAt(0)
          const { bytes, error } = await slicer.slice(whole, {
            signal: stop.signal,
            onChunk: abortAt,
          })
          expect(complete.subarray(0, bytes.length).equals(bytes)).toBe(true)
          if (error) {
            expect(error).toEqual(new Error('gone'))
            expect(bytes.length).toBeLessThanOrEqual(complete.length - MARKER.length)
          } else {
            expect(bytes.length).toBe(complete.length)
          }
          splitBlocks(bytes, proved)
        }
        expect(slicer.load()).toMatchObject({ activeSlices: 0, queuedSlices: 0 })
      }
    })
  },
)

describe.skipIf(!available.shared)('real files with a trap', () => {
  // samtools view -c exact_duplicate.bam  -> 2
  test('two records with equal bytes are both kept', async () => {
    const path = join(SHARED_BAM, 'bam-js/exact_duplicate.bam')
    const bam = readBam(inflateAll(await readFile(path)))
    expect([...countRecords(await readFile(path)).values()]).toEqual([2])
    const request = { intervals: bam.references.map(wholeReference), unplaced: false }
    for (const indexPath of indexesBeside(path)) {
      const slicer = new FileSlicer({ path, indexPath })
      expect([...countRecords(await slicer.bytes(request)).values()]).toEqual([2])
      await slicer.close()
    }
  })

  test('a BAI without linear parts is one of the indexes above', () => {
    const path = join(SHARED_BAM, 'bam-js/pha/Pm_st24_CTL1_subset.bam')
    expect(indexesBeside(path).map((index) => basename(index))).toEqual([
      'Pm_st24_CTL1_subset.bam.bai',
      'Pm_st24_CTL1_subset.no_linear_index.bam.bai',
    ])
  })
})

describe('files that are put together from others', () => {
  test('an end marker in the middle is left out and what follows it is not', async () => {
    const path = join(folder, 'joined.bam')
    await makeBam({ path, seed: 5, scale: 'tiny', style: 'htslib', index: 'none' })
    const bytes = await readFile(path)
    const blocks = splitBlocks(bytes)
    // Concatenating BGZF files leaves an end marker after every block.
    const joined = blocks.flatMap(({ offset, length }) => [
      bytes.subarray(offset, offset + length),
      MARKER,
    ])
    await writeFile(path, Buffer.concat(joined))
    const bam = readBam(inflateAll(bytes))
    await makeDirectory(path, `${path}.directory`)
    const slicer = new FileSlicer({ path, directoryPath: `${path}.directory` })
    for (const request of drawRequests(bam, SEED, REQUESTS)) {
      expectSelected(await slicer.bytes(request), bam, request)
    }
    await slicer.close()
  })

  test('a file that has a directory can be sliced by its index all the same', async () => {
    const path = join(folder, 'both.bam')
    await makeBam({ path, seed: 9, scale: 'tiny', style: 'htsjdk', emptyBlocks: true })
    const bam = readBam(inflateAll(await readFile(path)))
    await makeDirectory(path, `${path}.directory`)
    const slicer = new FileSlicer({
      path,
      directoryPath: `${path}.directory`,
      indexPath: `${path}.bai`,
    })
    for (const request of drawRequests(bam, SEED, REQUESTS)) {
      const { bytes, error } = await slicer.slice(request, { locate: 'index' })
      expect(error).toBe(undefined)
      expectSelected(bytes, bam, request)
    }
    await slicer.close()
  })

  test('subfields before BC are passed over', async () => {
    const path = join(folder, 'subfields.bam')
    await makeBam({ path, seed: 6, scale: 'tiny', style: 'htsjdk', index: 'none' })
    const bytes = await readFile(path)
    const parts = splitBlocks(bytes).map(({ offset, length }) =>
      length === MARKER.length ? MARKER : withSubfield(bytes.subarray(offset, offset + length)),
    )
    await writeFile(path, Buffer.concat(parts))
    const bam = readBam(inflateAll(bytes))
    await makeDirectory(path, `${path}.directory`)
    // samtools does not read such a file, so it has no index.
    const slicer = new FileSlicer({ path, directoryPath: `${path}.directory` })
    for (const request of drawRequests(bam, SEED, 50)) {
      expectSelected(await slicer.bytes(request), bam, request)
    }
    await slicer.close()
  })

  test('extents of any length give the same directory', async () => {
    const path = join(folder, 'extents.bam')
    for (const style of sample(['htslib', 'htsjdk'] as const, 1)) {
      await makeBam({ path, seed: 7, scale: 'tiny', style, longRecords: true, emptyBlocks: true })
      const bam = readBam(inflateAll(await readFile(path)))
      // The file is tested unchanged, and cut so that it ends with a record over many blocks.
      const longest = bam.records.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a))
      const cutBehind = bam.inflated.subarray(0, longest.to)
      for (const bytes of [undefined, packBam(cutBehind, everyBytes(40_000, cutBehind.length))]) {
        if (bytes) await writeFile(path, bytes)
        const expected = await makeDirectory(path, `${path}.directory`, 1 << 30)
        const end = expected.blockOffset.at(-1)!
        expect((await readFile(path)).length - end).toBeLessThanOrEqual(10 * MARKER.length)
        for (const extentBytes of sample([1, 1000, 50_000, 65_536, 300_000], 3)) {
          expect(await makeDirectory(path, `${path}.directory`, extentBytes)).toEqual(expected)
        }
      }
    }
  })

  // Blocks of 37 bytes split every field of a record; longer ones split most of them.
  test.each(sample([37, 100, 333, 1000, 4096], 2))(
    'blocks of %i bytes may end anywhere in a record',
    async (blockBytes) => {
      const path = join(folder, `blocks-${blockBytes}.bam`)
      await makeBam({ path, seed: 8, scale: 'tiny', style: 'htslib', index: 'none' })
      const { inflated, headerLength, records } = readBam(inflateAll(await readFile(path)))
      const some = records.slice(200, 420)
      const parts = [...some, ...records.slice(-8)].map(({ from, to }) =>
        inflated.subarray(from, to),
      )
      const bam = readBam(Buffer.concat([inflated.subarray(0, headerLength), ...parts]))
      const packed = packBam(bam.inflated, everyBytes(blockBytes, bam.inflated.length))
      const proved = new ProvedBlocks(packed)
      await writeFile(path, packed)
      const directoryPath = `${path}.directory`
      await makeDirectory(path, directoryPath, 10_000)
      const paths: AlignmentPaths[] = [{ path, directoryPath }]
      if (available.samtools) {
        await samtools('index', path)
        paths.push({ path, indexPath: `${path}.bai` })
      }
      for (const slicer of paths.map((each) => new FileSlicer(each))) {
        for (const request of drawRequests(bam, SEED, REQUESTS)) {
          expectSelected(await slicer.bytes(request), bam, request, proved)
        }
        await slicer.close()
      }
    },
  )
})

/**
 * Checks everything about a slice (blocks, end marker, header, records and their order), and returns the number
 * of records.
 */
function expectSelected(
  slice: Buffer,
  bam: StrictBam,
  request: SliceRequest,
  proved?: ProvedBlocks,
): number {
  const blocks = splitBlocks(slice, proved)
  const last = blocks.pop()
  expect(last?.length, 'length of the last block').toBe(MARKER.length)
  expect(slice.subarray(-MARKER.length).equals(MARKER)).toBe(true)
  const empty = blocks.filter(({ content }) => content.length === 0)
  expect(empty, 'empty blocks before the marker').toEqual([])

  const records = select(bam, request)
  const header = bam.inflated.subarray(0, bam.headerLength)
  if (!isInPieces([header, ...bytesOf(bam, records)], blocks)) {
    const got = readBam(Buffer.concat(blocks.map(({ content }) => content))).records.length
    expect.fail(`${got} records instead of ${records.length} of ${JSON.stringify(request)}`)
  }
  return records.length
}

/** Whether pieces and blocks, concatenated, are the same bytes. */
function isInPieces(pieces: readonly Buffer[], blocks: readonly StrictBlock[]): boolean {
  let [piece, at] = [0, 0]
  for (const { content } of blocks) {
    for (let from = 0; from < content.length; ) {
      const wanted = pieces[piece]
      if (!wanted) return false
      const length = Math.min(wanted.length - at, content.length - from)
      if (wanted.compare(content, from, from + length, at, at + length) !== 0) return false
      from += length
      at += length
      if (at === wanted.length) [piece, at] = [piece + 1, 0]
    }
  }
  return piece === pieces.length
}

/** The bytes of records, copied at once if they are consecutive. */
function bytesOf({ inflated }: StrictBam, records: readonly StrictRecord[]): Buffer[] {
  const pieces: Buffer[] = []
  let first = 0
  for (let i = 0; i < records.length; i++) {
    if (records[i + 1]?.from === records[i]!.to) continue
    pieces.push(inflated.subarray(records[first]!.from, records[i]!.to))
    first = i + 1
  }
  return pieces
}

/** The bytes of all records; headers differ, because each program adds a line. */
function recordsOf(bytes: Buffer, proved?: ProvedBlocks): Buffer {
  const { inflated, headerLength } = readBam(inflateAll(bytes, proved))
  return inflated.subarray(headerLength)
}

/** The number of copies of each record, by its bytes. */
function countRecords(bytes: Buffer, proved?: ProvedBlocks): Map<string, number> {
  const { inflated, records } = readBam(inflateAll(bytes, proved))
  const counts = new Map<string, number>()
  for (const { from, to } of records) {
    const text = inflated.toString('latin1', from, to)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
}

const wholeReference = ({ name }: { readonly name: string }) => ({
  reference: name,
  start: 0,
  end: Infinity,
})

/** The same places in another order, some of them split or repeated. */
function reordered({ intervals }: SliceRequest, random: Random) {
  const parts = intervals.flatMap((interval) => {
    const { reference, start, end } = interval
    if (random.chance(0.3)) return [interval, interval]
    if (end - start < 2) return [interval]
    const middle = start + 1 + random.below(Math.min(end - start - 1, 1e9))
    return [
      { reference, start, end: middle },
      { reference, start: middle, end },
    ]
  })
  return parts
    .map((interval) => ({ interval, key: random.unit() }))
    .sort((a, b) => a.key - b.key)
    .map(({ interval }) => interval)
}

/** Inserts a subfield of three bytes before the BC subfield of a block. */
function withSubfield(block: Buffer): Buffer {
  const extra = Buffer.from('58590300010203', 'hex')
  const head = Buffer.from(block.subarray(0, 12))
  head.writeUInt16LE(6 + extra.length, 10)
  const made = Buffer.concat([head, extra, block.subarray(12)])
  made.writeUInt16LE(made.length - 1, 12 + extra.length + 4)
  return made
}
