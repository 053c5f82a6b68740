import { execFile } from 'node:child_process'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { openAlignment } from '../../engine/commons/slicing/alignment.ts'
import { buildDirectory } from '../../engine/commons/slicing/build-directory.ts'
import { saveDirectory } from '../../engine/commons/slicing/directory.ts'
import { type AlignmentPaths, localAlignment } from '../../engine/commons/slicing/parts.ts'
import { mergeIntervals, type NamedInterval } from '../../engine/commons/slicing/region.ts'
import { DEFAULT_LIMITS, Slicer } from '../../engine/commons/slicing/slicer.ts'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { makeVcf } from '../../fixtures/variants/make-variants.ts'
import { ThreadPool } from '../../workers/pool.ts'
import type { Bench, BenchOptions, BenchOutcome, Contest } from '../bench.ts'
import { DATA_FOLDER } from '../data-folder.ts'
import { holdContest } from '../rounds.ts'
import { hasTool, runTool } from '../tools.ts'

const THREADS = 2
const REGIONS = 50
const SIZES = { quick: { records: 40_000, samples: 20 }, full: { records: 200_000, samples: 100 } }
/** Nothing is there: what a program takes for its start, and for opening file and index. */
const NOWHERE = '2:1999999-1999999'

/** Region slices of a VCF beside the programs that people use for that. */
export const variants: Bench = { workloads: ['small-regions'], run: runVariants }

async function runVariants({ quick, rounds, note }: BenchOptions): Promise<BenchOutcome> {
  if (!hasTool('bcftools') || !hasTool('tabix')) {
    const findings = ['bcftools or tabix is missing: nothing was measured']
    return { input: {}, contests: [], findings }
  }
  const size = SIZES[quick ? 'quick' : 'full']
  const paths = await prepare(quick ? 'quick' : 'full', size, note)
  const pool = new ThreadPool({ threads: THREADS })
  const slicer = new Slicer(pool, DEFAULT_LIMITS)
  try {
    const regions = drawRegions()
    const slice = (interval: NamedInterval, locate: 'directory' | 'index') =>
      sliceOf(slicer, paths, interval, locate)
    await mustAgree(paths.path, regions, slice)
    const contest = contestOf(paths.path, regions, slice, rounds ?? (quick ? 5 : 15))
    const contests = [await holdContest(contest, note)]
    const { size: bytes } = await stat(paths.path)
    const input = { ...size, bytes, threads: THREADS, regions: regions.map(regionText) }
    return { input, contests, findings: [] }
  } finally {
    await slicer.close()
    await pool.close()
  }
}

type Paths = Required<AlignmentPaths> & { readonly path: string }

async function prepare(
  name: string,
  size: { readonly records: number; readonly samples: number },
  note: (text: string) => void,
): Promise<Paths> {
  const folder = join(DATA_FOLDER, 'variants')
  await mkdir(folder, { recursive: true })
  const plain = join(folder, `${name}.vcf`)
  const path = `${plain}.gz`
  const paths = { path, indexPath: `${path}.tbi`, directoryPath: `${path}.directory` }
  note(`making ${size.records} records of ${size.samples} samples`)
  await writeFile(plain, makeVcf({ seed: 1, ...size }))
  await runTool('bgzip', ['-f', plain])
  await runTool('tabix', ['-f', '-p', 'vcf', path])
  const { indexPath } = paths
  const alignment = await openAlignment(localAlignment({ path, indexPath }), inlineExecutor)
  try {
    const { blob, header, identity } = alignment
    const directory = await buildDirectory(blob, header, inlineExecutor)
    await saveDirectory(paths.directoryPath, directory, identity)
  } finally {
    await alignment.blob.close()
  }
  return paths
}

/** Of 1 to 10 kb. */
function drawRegions(): readonly NamedInterval[] {
  const random = randomFrom(7)
  return Array.from({ length: REGIONS }, () => {
    const start = random.below(1_900_000)
    const reference = ['1', '2', 'chrX'][random.below(3)] ?? '1'
    return { reference, start, end: start + Math.floor(1000 * 10 ** random.unit()) }
  })
}

const regionText = ({ reference, start, end }: NamedInterval) => `${reference}:${start + 1}-${end}`

async function sliceOf(
  slicer: Slicer,
  paths: Paths,
  interval: NamedInterval,
  locate: 'directory' | 'index',
): Promise<Buffer> {
  const select = ({ numberOf }: { readonly numberOf: ReadonlyMap<string, number> }) => {
    return { intervals: mergeIntervals([interval], numberOf), unplaced: false }
  }
  await using slice = await slicer.slice(localAlignment(paths), select, { locate })
  const parts: Buffer[] = []
  // The chunk's memory is used again.
  for await (const chunk of slice.body) parts.push(Buffer.from(chunk))
  return Buffer.concat(parts)
}

type SliceOne = (interval: NamedInterval, locate: 'directory' | 'index') => Promise<Buffer>

/** Nothing is measured before every answer is the right one. */
async function mustAgree(
  path: string,
  regions: readonly NamedInterval[],
  slice: SliceOne,
): Promise<void> {
  for (const interval of regions) {
    const words = ['view', '--no-version', '-H', '-r', regionText(interval), path]
    const { stdout } = await promisify(execFile)('bcftools', words, { maxBuffer: 1 << 28 })
    for (const locate of ['directory', 'index'] as const) {
      const lines = gunzipSync(await slice(interval, locate))
        .toString()
        .split(/(?<=\n)/)
      if (lines.filter((line) => !line.startsWith('#')).join('') === stdout) continue
      throw new Error(`the slice of ${regionText(interval)} is not what bcftools view -r prints`)
    }
  }
}

function contestOf(
  path: string,
  regions: readonly NamedInterval[],
  slice: SliceOne,
  rounds: number,
): Contest {
  const ours = (locate: 'directory' | 'index') => async () => {
    const start = performance.now()
    for (const interval of regions) await slice(interval, locate)
    return { [locate]: (performance.now() - start) / regions.length }
  }
  // As a process for each, less what one takes that finds nothing.
  const program = (series: string, run: (region: string) => Promise<number>) => async () => {
    let sum = 0
    for (const interval of regions) {
      const start = await run(NOWHERE)
      sum += (await run(regionText(interval))) - start
    }
    return { [`${series} less start`]: sum / regions.length }
  }
  const bcftools = async (region: string) =>
    (await runTool('bcftools', ['view', '-Oz1', '-o', '/dev/null', '-r', region, path]))
      .milliseconds
  const whole = (series: string, run: (region: string) => Promise<number>) => async () => {
    let sum = 0
    for (const interval of regions) sum += await run(regionText(interval))
    return { [series]: sum / regions.length }
  }
  const tabix = async (region: string) => (await runTool('tabix', [path, region])).milliseconds
  return {
    workload: 'small-regions',
    unit: 'ms',
    rounds,
    contenders: [
      { turn: ours('directory') },
      { turn: ours('index') },
      { turn: whole('bcftools view -r', bcftools) },
      { turn: whole('tabix', tabix) },
      { turn: program('bcftools view -r', bcftools) },
      { turn: program('tabix', tabix) },
    ],
    comparisons: [
      { ours: 'directory', peer: 'bcftools view -r', target: { atLeast: 5 } },
      { ours: 'directory', peer: 'tabix', target: { atLeast: 5 } },
      { ours: 'index', peer: 'tabix' },
      { ours: 'directory', peer: 'bcftools view -r less start' },
      { ours: 'directory', peer: 'tabix less start' },
    ],
  }
}
