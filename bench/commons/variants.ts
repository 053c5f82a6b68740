import { execFile } from 'node:child_process'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { openAlignment } from '../../engine/commons/slicing/alignment.ts'
import { buildDirectory } from '../../engine/commons/slicing/build-directory.ts'
import { saveDirectory } from '../../engine/commons/slicing/directory.ts'
import { type AlignmentPaths, localAlignment } from '../../engine/commons/slicing/parts.ts'
import { DEFAULT_LIMITS, Slicer } from '../../engine/commons/slicing/slicer.ts'
import { atOnce } from '../../engine/shared/concurrency/at-once.ts'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { mergeIntervals, type NamedInterval } from '../../engine/shared/input/region.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { makeVcf, type VariantOptions } from '../../fixtures/variants/make-variants.ts'
import { ThreadPool } from '../../workers/pool.ts'
import type { Bench, BenchOptions, BenchOutcome, Contest, ContestOutcome } from '../bench.ts'
import { DATA_FOLDER } from '../data-folder.ts'
import { holdContest } from '../rounds.ts'
import { hasTool, runTool } from '../tools.ts'

const THREADS = 2
const REGIONS = 150
const SIZES = { quick: { records: 40_000, samples: 20 }, full: { records: 200_000, samples: 100 } }
/** Records that are intervals: as many as in a catalogue of a population, and so many that each region has dozens. */
const FAR = { 'small-regions': 0.0007, 'far-reaching': 0.4 } as const
type Workload = keyof typeof FAR
const WORKLOADS = Object.keys(FAR) as Workload[]

/** Region slices of a VCF beside the programs that people use for that. */
export const variants: Bench = { workloads: WORKLOADS, run: runVariants }

async function runVariants({
  quick,
  rounds = quick ? 3 : 9,
  chosen,
  note,
}: BenchOptions): Promise<BenchOutcome> {
  if (!hasTool('bcftools') || !hasTool('tabix')) {
    const findings = ['bcftools or tabix is missing: nothing was measured']
    return { input: {}, contests: [], findings }
  }
  const size = SIZES[quick ? 'quick' : 'full']
  const regions = drawRegions()
  const files: Record<string, number> = {}
  const contests: ContestOutcome[] = []
  const pool = new ThreadPool({ threads: THREADS })
  const slicer = new Slicer(pool, DEFAULT_LIMITS)
  try {
    for (const workload of WORKLOADS.filter(chosen)) {
      note(`${workload}: making ${size.records} records of ${size.samples} samples`)
      const name = `${workload}-${quick ? 'quick' : 'full'}`
      const paths = await prepare(name, { ...size, far: FAR[workload] })
      const slice = (interval: NamedInterval, locate: 'directory' | 'index') =>
        sliceOf(slicer, paths, interval, locate)
      await mustAgree(paths.path, regions, slice)
      const contest = contestOf(workload, paths.path, regions, slice, rounds)
      contests.push(await holdContest(contest, note))
      files[workload] = (await stat(paths.path)).size
    }
    const input = { ...size, far: FAR, bytes: files, threads: THREADS }
    return { input: { ...input, regions: regions.map(regionText) }, contests, findings: [] }
  } finally {
    await slicer.close()
    await pool.close()
  }
}

type Paths = Required<AlignmentPaths> & { readonly path: string }

async function prepare(name: string, made: Omit<VariantOptions, 'seed'>): Promise<Paths> {
  const folder = join(DATA_FOLDER, 'variants')
  await mkdir(folder, { recursive: true })
  const plain = join(folder, `${name}.vcf`)
  const path = `${plain}.gz`
  const paths = { path, indexPath: `${path}.tbi`, directoryPath: `${path}.directory` }
  await writeFile(plain, makeVcf({ seed: 1, ...made }))
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
    return { intervals: atOnce(mergeIntervals([interval], numberOf)), unplaced: false }
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
  workload: Workload,
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
  const texts = regions.map(regionText)
  const processEach = (series: string, program: string, words: readonly string[]) => async () => {
    let sum = 0
    for (const text of texts) sum += (await runTool(program, [...words, text])).milliseconds
    return { [series]: sum / regions.length }
  }
  const processForAll = async () => {
    const { milliseconds } = await runTool('tabix', [path, ...texts])
    return { 'tabix, one process': milliseconds / regions.length }
  }
  const bcftools = ['view', '-Oz1', '-o', '/dev/null', path, '-r']
  return {
    workload,
    unit: 'ms',
    rounds,
    contenders: [
      { turn: ours('directory') },
      { turn: ours('index') },
      { turn: processEach('bcftools view -r', 'bcftools', bcftools) },
      { turn: processEach('tabix', 'tabix', [path]) },
      { turn: processForAll },
    ],
    comparisons: [
      { ours: 'directory', peer: 'bcftools view -r', target: { atLeast: 5 } },
      { ours: 'directory', peer: 'tabix', target: { atLeast: 5 } },
      { ours: 'index', peer: 'tabix' },
      { ours: 'directory', peer: 'tabix, one process' },
    ],
  }
}
