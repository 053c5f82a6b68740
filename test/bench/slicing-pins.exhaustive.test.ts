import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  bedText,
  type InputName,
  layoutOf,
  regionText,
  requestsOf,
  type SliceSet,
} from '../../bench/commons/slicing/layout.ts'
import { saveSlice } from '../../bench/commons/slicing/ours.ts'
import { PINS } from '../../bench/commons/slicing/pins.ts'
import { openIndexed, rangesByIndex } from '../../bench/commons/tickets/index-chunks.ts'
import { openAlignment } from '../../engine/commons/slicing/alignment.ts'
import { buildDirectory } from '../../engine/commons/slicing/build-directory.ts'
import { saveDirectory } from '../../engine/commons/slicing/directory.ts'
import { localAlignment } from '../../engine/commons/slicing/parts.ts'
import { DEFAULT_LIMITS, Slicer } from '../../engine/commons/slicing/slicer.ts'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import { available } from '../available.ts'
import { isExhaustive } from '../depth.ts'

// The benchmark measures nothing unless its answers have the pinned numbers of records. This test checks the
// same pins for a file that takes seconds to make; they came from samtools (see pins.ts).

const SETS: readonly SliceSet[] = ['small', 'mid', 'chromosomes', 'genes']

let folder = ''
let bam = ''
let slicer: Slicer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-pins-'))
  bam = join(folder, 'test.bam')
  await makeBam({ path: bam, seed: 1, style: 'htslib', scale: layoutOf('test').scale })
  const { blob, header, identity } = await openAlignment(
    localAlignment({ path: bam }),
    inlineExecutor,
  )
  const directory = await buildDirectory(blob, header, inlineExecutor)
  expect(directory.records).toBe(PINS.test.file)
  await saveDirectory(join(folder, 'blocks'), directory, identity)
  await blob.close()
  slicer = new Slicer(inlineExecutor, DEFAULT_LIMITS)
})

afterAll(async () => {
  await slicer?.close()
  await rm(folder, { recursive: true, force: true })
})

describe.each(['directory', 'index'] as const)('by %s', (how) => {
  test.each(SETS)('the slices of %s hold the pinned number of records', async (set) => {
    const paths = { path: bam, indexPath: `${bam}.bai`, directoryPath: join(folder, 'blocks') }
    let records = 0
    for (const intervals of requestsOf(layoutOf('test'), set)) {
      const path = join(folder, 'slice.bam')
      await saveSlice(slicer, paths, intervals, how, path)
      records += countRecords(gunzipSync(await readFile(path)))
    }
    expect(records).toBe(PINS.test[set])
  })
})

test.skipIf(!available.samtools).each(SETS)(
  'samtools finds the pinned records of %s',
  async (set) => {
    expect(await askSamtools(bam, 'test', set)).toBe(PINS.test[set])
  },
)

// The exact answer with which the benchmark of tickets compares others must consist of whole blocks that hold
// every record.
describe.skipIf(!available.samtools).each(['bai', 'csi'] as const)('ranges by %s', (kind) => {
  beforeAll(async () => {
    const words = kind === 'csi' ? ['-c', '-o', `${bam}.csi`] : ['-o', `${bam}.bai`]
    await promisify(execFile)('samtools', ['index', ...words, bam])
  })

  test.each(['mid', 'genes'] as const)('hold the pinned records of %s and others', async (set) => {
    const rangesOf = rangesByIndex(await openIndexed({ path: bam, indexPath: `${bam}.${kind}` }))
    const file = await readFile(bam)
    for (const intervals of requestsOf(layoutOf('test'), set)) {
      const ranges = rangesOf(intervals)
      const parts = ranges.map(({ start, end }) => file.subarray(start, end))
      const path = join(folder, 'chunks.bam')
      // The end marker is the last 28 bytes of any complete file.
      await writeFile(path, Buffer.concat([...parts, file.subarray(-28)]))
      await writeFile(join(folder, 'chunks.bed'), bedText(intervals))
      const words = ['view', '-c', '-L', join(folder, 'chunks.bed'), path]
      const { stdout } = await promisify(execFile)('samtools', words)
      expect(Number(stdout)).toBe(PINS.test[set])
      const records = countRecords(gunzipSync(await readFile(path)))
      expect(records).toBeGreaterThan(PINS.test[set])
      expect(records).toBeLessThan(PINS.test.file)
    }
  })
})

describe.skipIf(!available.samtools || !isExhaustive)('of the quick file', () => {
  beforeAll(async () => {
    const { scale } = layoutOf('quick')
    await makeBam({ path: join(folder, 'quick.bam'), seed: 1, style: 'htslib', scale })
  })

  test.each(SETS)('samtools finds the pinned records of %s', async (set) => {
    expect(await askSamtools(join(folder, 'quick.bam'), 'quick', set)).toBe(PINS.quick[set])
  })
})

async function askSamtools(file: string, input: InputName, set: SliceSet): Promise<number> {
  const count = async (...words: string[]) =>
    Number((await promisify(execFile)('samtools', ['view', '-c', ...words])).stdout)
  const layout = layoutOf(input)
  if (set === 'genes') {
    const bed = join(folder, 'genes.bed')
    await writeFile(bed, bedText(layout.genes))
    return count('-M', '-L', bed, file)
  }
  let records = 0
  for (const intervals of requestsOf(layout, set)) {
    records += await count(file, ...intervals.map(regionText))
  }
  return records
}

/** Reads an inflated BAM directly by the specification, without our code. */
function countRecords(bytes: Buffer): number {
  expect(bytes.toString('latin1', 0, 4)).toBe('BAM\x01')
  let at = 8 + bytes.readInt32LE(4)
  const references = bytes.readInt32LE(at)
  at += 4
  for (let i = 0; i < references; i++) at += 8 + bytes.readInt32LE(at)
  let records = 0
  for (; at < bytes.length; records++) at += 4 + bytes.readInt32LE(at)
  expect(at).toBe(bytes.length)
  return records
}
