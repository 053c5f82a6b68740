import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeBlockDirectory } from '../../../engine/commons/slicing/make-directory.ts'
import { type AlignmentPaths, localAlignment } from '../../../engine/commons/slicing/parts.ts'
import { EngineError } from '../../../engine/shared/errors.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { depth, sample } from '../../depth.ts'
import { SHARED_BAM } from './support/clients.ts'
import { drawDamages } from './support/damage.ts'
import { everyBytes, packBam, packBlock } from './support/pack-bam.ts'
import { drawRequests, type SliceRequest } from './support/requests.ts'
import { FileSlicer, makeDirectory, type Outcome } from './support/slicing.ts'
import {
  inflateAll,
  MARKER,
  ProvedBlocks,
  readBam,
  type StrictBam,
  splitBlocks,
} from './support/strict-bam.ts'

// What a slice of a damaged file may be (ADR 4): an error before the first byte; or
// whole, sound blocks that are the start of the right slice, without an end marker, and then an
// error; or, when the damage is elsewhere, the right slice. An end marker after missing or wrong
// records is the one thing that must never be.

/** The number of damages, one of every kind for each state of each file. */
const DAMAGES = depth(9, 9, 50)
const SEED = 77
/** A time in whole seconds, so that it can be restored exactly. */
const MTIME = new Date('2024-01-01T00:00:00Z')
const LATER = new Date('2024-01-01T00:00:09Z')

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-fault-'))
})
afterAll(() => rm(folder, { recursive: true }))

interface Case {
  readonly name: string
  /** Writes the file and its BAI. */
  readonly make: (path: string) => Promise<unknown>
}

const real = (name: string): Case => ({
  name,
  make: async (path) => {
    await copyFile(join(SHARED_BAM, name), path)
    await copyFile(join(SHARED_BAM, `${name}.bai`), `${path}.bai`)
  },
})

const CASES: readonly Case[] = [
  {
    name: 'small, htslib style',
    make: (path) => makeBam({ path, seed: 21, scale: 'small', style: 'htslib' }),
  },
  {
    name: 'small, htsjdk style',
    make: (path) => makeBam({ path, seed: 22, scale: 'small', style: 'htsjdk' }),
  },
  {
    name: 'tiny with long records, htsjdk style',
    make: (path) => makeBam({ path, seed: 23, scale: 'tiny', style: 'htsjdk', longRecords: true }),
  },
  ...(available.shared
    ? [real('human/heart_slc25a3.rna.bam'), real('human/HCC1954_tumor.chr8_chr11.grch37.bam')]
    : []),
]

test.skipIf(!available.shared)('real files are damaged, too', () => {
  expect(CASES.length).toBe(5)
})

/** Whole references, several intervals, the unmapped reads, and everything. */
function requestsOf(bam: StrictBam): SliceRequest[] {
  const used = new Set(bam.records.map(({ reference }) => reference))
  const whole = bam.references
    .filter((_, number) => used.has(number))
    .map(({ name }) => ({ reference: name, start: 0, end: Infinity }))
  const several = drawRequests(bam, SEED, 40).filter(({ intervals }) => intervals.length > 2)
  return [
    { intervals: whole.slice(0, 1), unplaced: false },
    ...several.slice(0, 2),
    { intervals: [], unplaced: true },
    { intervals: whole, unplaced: true },
  ]
}

interface Truth {
  /** Blocks of the file that were verified before the damage. */
  readonly proved?: ProvedBlocks
  /** The contents of the whole slice. */
  readonly complete: Buffer
}

/** Throws unless the outcome is one of the three permitted, and returns which. */
function judge(
  { bytes, error, early }: Outcome,
  { proved, complete }: Truth,
  what: string,
): 'early' | 'prefix' | 'complete' {
  const blocks = splitBlocks(bytes, proved)
  if (error === undefined) {
    expect(blocks.pop()?.length, `marker in spite of ${what}`).toBe(MARKER.length)
    expect(bytes.subarray(-MARKER.length).equals(MARKER)).toBe(true)
  } else if (!(error instanceof EngineError)) {
    throw new Error(`no error of the engine after ${what}`, { cause: error })
  } else if (!early) {
    expect(error.code, what).toBe('corrupt_source')
  }
  expect(blocks.every(({ content }) => content.length > 0)).toBe(true)
  const inflated = Buffer.concat(blocks.map(({ content }) => content))
  const wanted = error === undefined ? complete : complete.subarray(0, inflated.length)
  if (!inflated.equals(wanted)) {
    expect.fail(`${what}: ${inflated.length} bytes that are not those of ${complete.length}`)
  }
  if (error === undefined) return 'complete'
  if (early) expect(bytes.length).toBe(0)
  return early ? 'early' : 'prefix'
}

describe.each(sample(CASES, 1))('a damaged $name', ({ make }) => {
  let path = ''
  let original: Buffer
  let requests: SliceRequest[]
  let proved: ProvedBlocks
  let truths: Truth[]

  beforeAll(async () => {
    path = join(await mkdtemp(join(folder, 'case-')), 'x.bam')
    await make(path)
    original = await readFile(path)
    await utimes(path, MTIME, MTIME)
    await makeDirectory(path, `${path}.directory`)
    proved = new ProvedBlocks(original)
    requests = requestsOf(readBam(inflateAll(original, proved)))
    const slicer = new FileSlicer({ path, directoryPath: `${path}.directory` })
    truths = []
    for (const request of requests) {
      truths.push({ proved, complete: inflateAll(await slicer.bytes(request), proved) })
    }
    await slicer.close()
  })

  const tally = async (slicer: FileSlicer, what: string) => {
    const counts = { early: 0, prefix: 0, complete: 0 }
    for (const [i, request] of requests.entries()) {
      counts[judge(await slicer.slice(request), truths[i]!, what)]++
    }
    return counts
  }

  const STATES: readonly (readonly [string, Date, (path: string) => AlignmentPaths])[] = [
    [
      'with a directory that fits by size and time',
      MTIME,
      (bam) => ({ path: bam, indexPath: `${bam}.bai`, directoryPath: `${bam}.directory` }),
    ],
    [
      'with a directory that is too old',
      LATER,
      (bam) => ({ path: bam, indexPath: `${bam}.bai`, directoryPath: `${bam}.directory` }),
    ],
    ['without a directory', MTIME, (bam) => ({ path: bam, indexPath: `${bam}.bai` })],
  ]

  test.each(STATES)('file %s never gives a wrong slice', async (_, time, pathsOf) => {
    const totals = { early: 0, prefix: 0, complete: 0 }
    for (const { what, bytes } of drawDamages(original, SEED, DAMAGES)) {
      await writeFile(path, bytes)
      await utimes(path, time, time)
      const slicer = new FileSlicer(pathsOf(path))
      const counts = await tally(slicer, what)
      await slicer.close()
      totals.early += counts.early
      totals.prefix += counts.prefix
      totals.complete += counts.complete
    }
    // If nearly all damage were of one kind, the test would prove little.
    expect(Math.min(totals.early, totals.complete)).toBeGreaterThan(0.4 * DAMAGES)
    expect(totals.prefix).toBeGreaterThan(0)
    await writeFile(path, original)
  })

  test('file that is damaged after it was opened never gives a wrong slice', async () => {
    await writeFile(path, original)
    await utimes(path, MTIME, MTIME)
    for (const paths of [
      { path, directoryPath: `${path}.directory` },
      { path, indexPath: `${path}.bai` },
    ]) {
      const slicer = new FileSlicer(paths)
      await slicer.bytes(requests[0]!)
      for (const { what, bytes } of drawDamages(original, SEED + 1, DAMAGES)) {
        await writeFile(path, bytes)
        await utimes(path, MTIME, MTIME)
        await tally(slicer, what)
      }
      await slicer.close()
      await writeFile(path, original)
    }
  })

  test('file with a damaged directory is sliced by its index', async () => {
    await writeFile(path, original)
    await utimes(path, MTIME, MTIME)
    const directoryPath = `${path}.hurt.directory`
    const directory = await readFile(`${path}.directory`)
    const random = randomFrom(SEED, 5)
    for (let i = 0; i < depth(10, 20, 80); i++) {
      const hurt = Buffer.from(directory)
      // Half of the damage hits the first part, which describes the rest.
      const at = random.below(i % 2 === 0 ? 1200 : hurt.length)
      hurt.writeUInt8(hurt.readUInt8(at) ^ (1 << random.below(8)), at)
      const kept = i % 5 === 4 ? hurt.subarray(0, at) : hurt
      await writeFile(directoryPath, kept)
      for (const indexPath of [`${path}.bai`, undefined]) {
        const slicer = new FileSlicer({ path, indexPath, directoryPath })
        const outcome = await slicer.slice(requests[2]!)
        const verdict = judge(outcome, truths[2]!, `directory hurt at ${at}`)
        expect(verdict).toBe(indexPath ? 'complete' : 'early')
        await slicer.close()
      }
    }
  })

  test('file with a truncated index is refused before the first byte', async () => {
    const index = await readFile(`${path}.bai`)
    const indexPath = `${path}.hurt.bai`
    const random = randomFrom(SEED, 6)
    for (let i = 0; i < depth(3, 10, 40); i++) {
      // The last eight bytes of the index are optional.
      await writeFile(indexPath, index.subarray(0, random.below(index.length - 8)))
      const slicer = new FileSlicer({ path, indexPath })
      const { error, early } = await slicer.slice(requests[0]!)
      expect([(error as EngineError).code, early]).toEqual(['no_index', true])
      await slicer.close()
    }
  })

  // A BAI has no checksum, so missing entries go unnoticed; but the result must not be invalid.
  test('file with a damaged index gives an error or a valid BAM file', async () => {
    const index = await readFile(`${path}.bai`)
    const indexPath = `${path}.hurt.bai`
    const random = randomFrom(SEED, 7)
    for (let i = 0; i < depth(4, 12, 50); i++) {
      const hurt = Buffer.from(index)
      const at = random.below(hurt.length)
      hurt.writeUInt8(random.below(256), at)
      await writeFile(indexPath, hurt)
      const slicer = new FileSlicer({ path, indexPath })
      for (const request of requests) {
        const { bytes, error } = await slicer.slice(request)
        if (error !== undefined) expect(error).toBeInstanceOf(EngineError)
        else expect(bytes.subarray(-MARKER.length).equals(MARKER)).toBe(true)
        const inflated = inflateAll(bytes, proved)
        if (error === undefined) readBam(inflated)
      }
      await slicer.close()
    }
  })
})

describe('a footer that says 0', () => {
  const paths = (path: string): AlignmentPaths[] => [
    { path, indexPath: `${path}.bai` },
    { path, directoryPath: `${path}.directory` },
  ]

  // Such a block looks like one of the empty blocks that may occur anywhere and are skipped.
  test('does not make a block of records vanish', async () => {
    const path = join(folder, 'zero.bam')
    await makeBam({ path, seed: 31, scale: 'small', style: 'htslib' })
    const original = await readFile(path)
    await utimes(path, MTIME, MTIME)
    await makeDirectory(path, `${path}.directory`)
    const bam = readBam(inflateAll(original))
    const request = requestsOf(bam).at(-1)!
    for (const { offset, length } of sample(splitBlocks(original).slice(1, -1), 4, 12)) {
      const hurt = Buffer.from(original)
      hurt.fill(0, offset + length - 8, offset + length)
      await writeFile(path, hurt)
      await utimes(path, MTIME, MTIME)
      for (const each of paths(path)) {
        const slicer = new FileSlicer(each)
        const { error } = await slicer.slice(request)
        expect(error, `block at ${offset}`).toMatchObject({ code: 'corrupt_source' })
        await slicer.close()
      }
    }
  })
})

describe('files that are no whole, sorted BAM files', () => {
  const everything = (bam: StrictBam): SliceRequest => requestsOf(bam).at(-1)!

  test('without an end marker, only what ends before the end of the file is given', async () => {
    const path = join(folder, 'unmarked.bam')
    await makeBam({ path, seed: 41, scale: 'tiny', style: 'htslib' })
    const bytes = (await readFile(path)).subarray(0, -MARKER.length)
    await writeFile(path, bytes)
    const bam = readBam(inflateAll(bytes))
    const slicer = new FileSlicer({ path, indexPath: `${path}.bai` })
    const [first] = requestsOf(bam)
    expect((await slicer.slice(first!)).error).toBe(undefined)
    for (const request of [{ intervals: [], unplaced: true }, everything(bam)]) {
      const { bytes: prefix, error } = await slicer.slice(request)
      expect(error).toMatchObject({ code: 'corrupt_source' })
      expect(prefix.subarray(-MARKER.length).equals(MARKER)).toBe(false)
    }
    await slicer.close()

    // A directory would know only the records that existed when it was made.
    const directoryPath = `${path}.directory`
    const making = makeBlockDirectory(localAlignment({ path }), directoryPath, inlineExecutor)
    await expect(making).rejects.toMatchObject({ code: 'corrupt_source' })
    expect(existsSync(directoryPath)).toBe(false)
  })

  test('cut behind a block, with an index of what is left, the last reference fails', async () => {
    const path = join(folder, 'cut.bam')
    await makeBam({ path, seed: 42, scale: 'small', style: 'htslib' })
    const whole = readBam(inflateAll(await readFile(path)))
    // The records up to the last placed one, without unplaced records and end marker.
    const placed = whole.records.filter(({ reference }) => reference >= 0).at(-1)!
    const bytes = packBam(
      whole.inflated.subarray(0, placed.to),
      everyBytes(60_000, placed.to),
    ).subarray(0, -MARKER.length)
    const { from } = whole.records.find(({ reference }) => reference === placed.reference)!
    const begin = BigInt(splitBlocks(bytes)[Math.floor(from / 60_000)]!.offset) << 16n
    const chunk = [begin + BigInt(from % 60_000), BigInt(bytes.length) << 16n] as const
    await writeFile(path, bytes)
    await writeFile(`${path}.bai`, baiOfOne(whole.references.length, placed.reference, chunk))
    const slicer = new FileSlicer({ path, indexPath: `${path}.bai` })
    const { name } = whole.references[placed.reference]!
    const last = { intervals: [{ reference: name, start: 0, end: Infinity }], unplaced: false }
    expect((await slicer.slice(last)).error).toMatchObject({
      code: 'corrupt_source',
      message: expect.stringContaining('no end marker'),
    })
    await slicer.close()
    // With an end marker, the same index and bytes give a slice.
    await writeFile(path, Buffer.concat([bytes, MARKER]))
    expect((await slicer.slice(last)).error).toBe(undefined)
    await slicer.close()
  })

  test.skipIf(!available.shared).each([
    ['bam-js/paired-region.namesorted.bam', 'bad_input', 'queryname'],
    ['samtools/2.quickcheck.badheader.bam', 'corrupt_source', 'block'],
  ])('%s is refused with %s', async (name, code, text) => {
    const slicer = new FileSlicer({ path: join(SHARED_BAM, name), indexPath: '/nowhere.bai' })
    const { error, early } = await slicer.slice({ intervals: [], unplaced: true })
    expect(error).toMatchObject({ code, message: expect.stringContaining(text) })
    expect(early).toBe(true)
    await slicer.close()
  })

  test('something else than BAM is refused', async () => {
    const path = join(folder, 'not.bam')
    for (const content of [
      Buffer.alloc(0),
      Buffer.from('@HD\tVN:1.6\tSO:coordinate\n'),
      MARKER,
      Buffer.concat([packBlock(Buffer.from('CRAM and more')), MARKER]),
      Buffer.concat([packBlock(Buffer.from('BAM\x01\xff\xff\xff\xff\x00\x00', 'latin1')), MARKER]),
      Buffer.concat([packBlock(Buffer.from('BAM\x01\xff\xff\xff\x7f\x00\x00', 'latin1')), MARKER]),
      Buffer.alloc(100_000, 7),
    ]) {
      await writeFile(path, content)
      const slicer = new FileSlicer({ path, indexPath: `${path}.bai` })
      const { error, early } = await slicer.slice({ intervals: [], unplaced: true })
      expect(error).toMatchObject({ code: 'corrupt_source' })
      expect(early).toBe(true)
      await slicer.close()
    }
  })

  test('a folder or a missing file is unavailable', async () => {
    for (const path of [folder, join(folder, 'missing.bam')]) {
      const slicer = new FileSlicer({ path })
      const { error, early } = await slicer.slice({ intervals: [], unplaced: true })
      expect(error).toMatchObject({ code: 'unavailable' })
      expect(early).toBe(true)
      await slicer.close()
    }
  })
})

describe('indexes of other files', () => {
  let path = ''
  let request: SliceRequest
  let complete: Buffer
  beforeAll(async () => {
    path = join(folder, 'own.bam')
    await makeBam({ path, seed: 51, scale: 'small', style: 'htsjdk', index: 'both' })
    request = requestsOf(readBam(inflateAll(await readFile(path)))).at(-1)!
    await makeDirectory(path, `${path}.directory`)
    const slicer = new FileSlicer({ path, directoryPath: `${path}.directory` })
    complete = inflateAll(await slicer.bytes(request))
    await slicer.close()
  })

  test('none at all is an error before the first byte', async () => {
    for (const indexPath of [undefined, `${path}.missing`, path, `${path}.directory`, folder]) {
      const slicer = new FileSlicer({ path, indexPath })
      const { error, early } = await slicer.slice(request)
      expect(error).toMatchObject({ code: 'no_index' })
      expect(early).toBe(true)
      await slicer.close()
    }
  })

  test.skipIf(!available.shared)('one with another number of references is refused', async () => {
    const other = join(SHARED_BAM, 'human/NA12878_chrM.bam.bai')
    const slicer = new FileSlicer({ path, indexPath: other })
    expect(await slicer.slice(request)).toMatchObject({ error: { code: 'no_index' }, early: true })
    await slicer.close()
  })

  test('one of a file with the same references never completes a wrong slice', async () => {
    for (const seed of [52, 53, 54]) {
      const other = join(folder, `other-${seed}.bam`)
      const style = seed === 52 ? 'htsjdk' : 'htslib'
      await makeBam({ path: other, seed, scale: 'small', style, index: 'both' })
      for (const kind of ['bai', 'csi']) {
        const slicer = new FileSlicer({ path, indexPath: `${other}.${kind}` })
        judge(await slicer.slice(request), { complete }, `index of file ${seed}`)
        await slicer.close()
      }
    }
  })

  test('a damaged CSI, which has checksums, is refused or does no harm', async () => {
    const csi = await readFile(`${path}.csi`)
    const random = randomFrom(SEED, 8)
    for (let i = 0; i < depth(9, 30, 120); i++) {
      const hurt = Buffer.from(csi)
      const at = random.below(hurt.length)
      hurt.writeUInt8(hurt.readUInt8(at) ^ (1 << random.below(8)), at)
      await writeFile(`${path}.hurt.csi`, i % 3 === 0 ? hurt.subarray(0, at) : hurt)
      const slicer = new FileSlicer({ path, indexPath: `${path}.hurt.csi` })
      judge(await slicer.slice(request), { complete }, `CSI hurt at ${at}`)
      await slicer.close()
    }
  })

  test('a directory of another file is not used', async () => {
    const other = join(folder, 'other-52.bam')
    await makeDirectory(other, `${other}.directory`)
    const slicer = new FileSlicer({
      path,
      indexPath: `${path}.bai`,
      directoryPath: `${other}.directory`,
    })
    expect(judge(await slicer.slice(request), { complete }, 'nothing')).toBe('complete')
    await slicer.close()
  })
})

describe('files that change while they are sliced', () => {
  let path = ''
  let original: Buffer
  let request: SliceRequest
  let complete: Buffer

  beforeAll(async () => {
    path = join(folder, 'changing.bam')
    // The file is larger than the read-ahead, so some of it is read after the change.
    await makeBam({ path, seed: 61, scale: depth(12e6, 16e6), style: 'htsjdk', level: 1 })
    original = await readFile(path)
    request = requestsOf(readBam(inflateAll(original))).at(-1)!
    await utimes(path, MTIME, MTIME)
    await makeDirectory(path, `${path}.directory`)
    const slicer = new FileSlicer({ path, directoryPath: `${path}.directory` })
    complete = inflateAll(await slicer.bytes(request))
    await slicer.close()
  })

  /** Restores the bytes; the directory fits again unless the file has another inode. */
  const putBack = async () => {
    await writeFile(path, original)
    await utimes(path, MTIME, MTIME)
  }

  const ways = () => [
    { path, directoryPath: `${path}.directory` },
    { path, indexPath: `${path}.bai` },
  ]

  test('a slice of a file that is replaced is that of the old file, the next of the new', async () => {
    const other = join(folder, 'replacing.bam')
    await makeBam({ path: other, seed: 62, scale: 'tiny', style: 'htslib' })
    const replacing = await readFile(other)
    for (const paths of ways()) {
      const slicer = new FileSlicer(paths)
      const onChunk = async (chunks: number) => {
        if (chunks !== 2) return
        await writeFile(`${path}.new`, replacing)
        await rename(`${path}.new`, path)
        await copyFile(`${other}.bai`, `${path}.bai.new`)
      }
      await copyFile(`${path}.bai`, `${path}.bai.old`)
      const outcome = await slicer.slice(request, { onChunk })
      expect(judge(outcome, { complete }, 'replaced')).toBe('complete')
      await rename(`${path}.bai.new`, `${path}.bai`)
      const next = new FileSlicer({ path, indexPath: `${path}.bai` })
      const [theirs, ours] = [await next.slice(request), await slicer.slice(request)]
      expect(theirs.error).toBe(undefined)
      if (paths.indexPath) expect(ours.bytes.equals(theirs.bytes)).toBe(true)
      else expect(ours.error).toMatchObject({ code: 'no_index' })
      await next.close()
      await slicer.close()
      await rename(`${path}.bai.old`, `${path}.bai`)
      await putBack()
      await makeDirectory(path, `${path}.directory`)
    }
  })

  test('a slice of a file that is overwritten or cut breaks off, or had read all of it', async () => {
    const verdicts: string[] = []
    for (const paths of ways()) {
      for (const after of [original.subarray(0, 100), Buffer.alloc(original.length), MARKER]) {
        const slicer = new FileSlicer(paths)
        const outcome = await slicer.slice(request, {
          onChunk: async (chunks) => {
            if (chunks === 2) await writeFile(path, after)
          },
        })
        verdicts.push(judge(outcome, { complete }, 'overwritten'))
        await slicer.close()
        await putBack()
      }
    }
    expect(verdicts).toContain('prefix')
  })

  test('a slice of a file that is deleted is complete, the next is unavailable', async () => {
    for (const paths of ways()) {
      const slicer = new FileSlicer(paths)
      const outcome = await slicer.slice(request, {
        onChunk: async (chunks) => {
          if (chunks === 2) await rm(path)
        },
      })
      expect(judge(outcome, { complete }, 'deleted')).toBe('complete')
      const next = await slicer.slice(request)
      expect(next).toMatchObject({ error: { code: 'unavailable' }, early: true })
      await slicer.close()
      await putBack()
      await makeDirectory(path, `${path}.directory`)
    }
  })
})

/** A BAI of one reference whose records are all in one chunk of the bin over everything. */
function baiOfOne(count: number, used: number, chunk: readonly [bigint, bigint]): Buffer {
  const words: Buffer[] = [Buffer.from('BAI\x01', 'latin1'), int32(count)]
  for (let reference = 0; reference < count; reference++) {
    const [begin, end] = chunk.map((offset) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64LE(offset)
      return bytes
    })
    const none = [int32(0), int32(0)]
    const one = [int32(1), int32(0), int32(1), begin!, end!, int32(0)]
    words.push(...(reference === used ? one : none))
  }
  return Buffer.concat(words)
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}
