import { once } from 'node:events'
import { createWriteStream, existsSync, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import { publicData } from '../../fixtures/public-data.ts'
import type {
  Bench,
  BenchOptions,
  BenchOutcome,
  Comparison,
  Contender,
  ContestOutcome,
} from '../bench.ts'
import { startService } from '../commons/search/service.ts'
import { DATA_FOLDER } from '../data-folder.ts'
import { type MeasuredProcess, measuredProcess } from '../measured-process.ts'
import { holdContest } from '../rounds.ts'
import { hasTool, runTool } from '../tools.ts'
import { besideContest } from './registry-files/beside.ts'
import { makeHome, type StagingHome } from './staging/home.ts'
import { readCases } from './staging/input.ts'

const AT = publicData('data/naaccr')
const SAMPLE = join(AT, 'samples/naaccr-xml-sample-v250-incidence-1000.xml.gz')
const DICTIONARY = join(AT, 'dictionaries/naaccr-dictionary-250.xml.gz')
const PROGRAM = join(import.meta.dirname, '../../bin/casemill.ts')
const PLAIN_READER = join(import.meta.dirname, 'registry-files/plain-reader.ts')
const FORMATS = ['ndjson', 'tsv', 'xml'] as const

/** Tumors of the files, by workload: 5 GB for memory. */
const SIZES = {
  full: { stage: 50_000, processor: 100_000, cores: 100_000, beside: 100_000, memory: 1_140_000 },
  quick: { stage: 5000, processor: 10_000, cores: 20_000, beside: 20_000, memory: 45_000 },
} as const

/** A parser in C, of Debian's package `expat`, that only checks whether XML is well-formed. */
const EXPAT = 'xmlwf'
/** Limits a process to some processors. */
const TASKSET = 'taskset'

/** Files of registries through the command, beside readers of XML that do nothing with it. */
export const registryFiles: Bench = { workloads: Object.keys(SIZES.full), run }

async function run(options: BenchOptions): Promise<BenchOutcome> {
  if (!existsSync(SAMPLE)) {
    const findings = ['nothing was measured: the published sample is missing beside the checkout']
    return { input: {}, contests: [], findings }
  }
  await using home = await makeHome(['eod'])
  const sizes = options.quick ? SIZES.quick : SIZES.full
  const contests: ContestOutcome[] = []
  const findings: string[] = []
  if (options.chosen('stage')) {
    await using file = await madeFile(sizes.stage, options)
    contests.push(await holdContest(stageContest(file, home, options), options.note))
  }
  if (options.chosen('processor')) {
    await using file = await madeFile(sizes.processor, options)
    if (!hasTool(EXPAT, '-v')) findings.push(`${EXPAT} is missing: expat was not measured`)
    contests.push(await holdContest(processorContest(file, home, options), options.note))
  }
  if (options.chosen('cores')) {
    if (availableParallelism() < 2 || !hasTool(TASKSET)) {
      findings.push(`cores were not measured: two processors and ${TASKSET} are needed`)
    } else {
      await using file = await madeFile(sizes.cores, options)
      contests.push(await holdContest(coresContest(file, home, options), options.note))
    }
  }
  if (options.chosen('beside')) {
    await using file = await madeFile(sizes.beside, options)
    contests.push(await holdBeside(file, home, findings, options))
  }
  if (options.chosen('memory')) {
    await using file = await madeFile(sizes.memory, options)
    contests.push(await holdContest(memoryContest(file, home, findings), options.note))
  }
  return { input: { sizes }, contests, findings }
}

interface MadeFile extends AsyncDisposable {
  readonly path: string
  readonly bytes: number
  readonly tumors: number
}

/** The patients of the sample, again and again. */
async function madeFile(wanted: number, { note }: BenchOptions): Promise<MadeFile> {
  note(`making a file of ${wanted} tumors`)
  const sample = gunzipSync(readFileSync(SAMPLE))
  const start = sample.indexOf('<Patient>')
  const end = sample.lastIndexOf('</Patient>') + '</Patient>'.length
  const patients = sample.subarray(start, end)
  const inSample = patients.toString().match(/<Tumor>/g)?.length ?? 0
  const count = Math.ceil(wanted / inSample)
  await mkdir(DATA_FOLDER, { recursive: true })
  const path = join(DATA_FOLDER, 'registry-file.xml')
  const file = createWriteStream(path)
  const write = async (part: Uint8Array) => {
    if (!file.write(part)) await once(file, 'drain')
  }
  await write(sample.subarray(0, start))
  for (let i = 0; i < count; i++) await write(patients)
  file.end(sample.subarray(end))
  await finished(file)
  const made = { path, bytes: file.bytesWritten, tumors: count * inSample }
  return { ...made, [Symbol.asyncDispose]: () => rm(path, { force: true }) }
}

const wordsOf = ({ path }: MadeFile, home: StagingHome, format: string) => [
  ...[PROGRAM, '--data', home.folder, 'registry', path, '--dictionary', DICTIONARY],
  ...['--algorithm', 'eod_public', '--version', 'latest', '--format', format, '-o', '/dev/null'],
]

function stageContest(file: MadeFile, home: StagingHome, { rounds, quick }: BenchOptions) {
  const ours = FORMATS.map(
    (format): Contender => ({
      turn: async () => ({ [format]: (await measured(wordsOf(file, home, format), file)).wall }),
    }),
  )
  const plain: Contender = {
    turn: async () => {
      const { milliseconds, output } = await runTool(process.execPath, [PLAIN_READER, file.path])
      if (Number(output) !== file.tumors) throw new Error(`the reader saw ${output} tumors`)
      return { 'saxes alone': milliseconds }
    },
  }
  return {
    ...({ workload: 'stage', unit: 'ms', rounds: rounds ?? (quick ? 1 : 3) } as const),
    contenders: [...ours, plain],
    comparisons: FORMATS.map((format) => {
      return { ours: format, peer: 'saxes alone', as: 'times as long' } as const
    }),
  }
}

/** Milliseconds of processor time, of all threads. */
function processorContest(file: MadeFile, home: StagingHome, { rounds, quick }: BenchOptions) {
  const ours = FORMATS.map(
    (format): Contender => ({
      turn: async () => ({
        [format]: (await measured(wordsOf(file, home, format), file)).processor,
      }),
    }),
  )
  const saxes: Contender = {
    turn: async () => {
      const { processor, output } = await measuredProcess([PLAIN_READER, file.path])
      if (Number(output) !== file.tumors) throw new Error(`the reader saw ${output} tumors`)
      return { 'saxes alone': processor }
    },
  }
  const expat: Contender = {
    turn: async () => {
      const { processor, output } = await measuredProcess([file.path], EXPAT)
      if (output !== '') throw new Error(`${EXPAT} refused the file: ${output}`)
      return { 'expat alone': processor }
    },
  }
  const hasExpat = hasTool(EXPAT, '-v')
  return {
    ...({ workload: 'processor', unit: 'ms', rounds: rounds ?? (quick ? 1 : 3) } as const),
    contenders: [...ours, saxes, ...(hasExpat ? [expat] : [])],
    comparisons: FORMATS.flatMap((format): Comparison[] => {
      const beside = { ours: format, as: 'times as long' } as const
      const besideSaxes = { ...beside, peer: 'saxes alone', target: { atMost: 6 } }
      return hasExpat ? [besideSaxes, { ...beside, peer: 'expat alone' }] : [besideSaxes]
    }),
  }
}

/** How long the command takes with one processor, and with one more. */
function coresContest(file: MadeFile, home: StagingHome, { rounds, quick }: BenchOptions) {
  const on = (series: string, processors: string): Contender => ({
    turn: async () => {
      const words = ['-c', processors, process.execPath, ...wordsOf(file, home, 'ndjson')]
      return { [series]: (await measured(words, file, TASKSET)).wall }
    },
  })
  return {
    ...({ workload: 'cores', unit: 'ms', rounds: rounds ?? (quick ? 1 : 3) } as const),
    contenders: [on('one processor', '0'), on('two processors', '0,1')],
    comparisons: [
      {
        ...({ ours: 'two processors', peer: 'one processor', as: 'times as fast' } as const),
        target: { atLeast: 1.9 },
      },
    ],
  }
}

/** The service while files go through it. */
async function holdBeside(
  file: MadeFile,
  home: StagingHome,
  findings: string[],
  { quick, rounds = quick ? 1 : 3, note }: BenchOptions,
): Promise<ContestOutcome> {
  const dictionary = ['import', 'naaccr', DICTIONARY, '--data', home.folder]
  await runTool(process.execPath, [PROGRAM, ...dictionary])
  const service = await startService(home.folder)
  try {
    const cases = readCases(quick ? 'quick' : 'full', 'eod')
    const contest = besideContest({
      ...{ service, key: home.key, cases, file: file.path },
      ...{ calls: quick ? 300 : 2000, rounds, tell: (text) => findings.push(`beside: ${text}`) },
    })
    return await holdContest(contest, note)
  } finally {
    await service.stop()
  }
}

function memoryContest(file: MadeFile, home: StagingHome, findings: string[]) {
  const turn = async () => {
    const { peak, wall, processor } = await measured(wordsOf(file, home, 'ndjson'), file)
    const rate = (milliseconds: number) => Math.round((1000 * file.tumors) / milliseconds)
    findings.push(
      `${(file.bytes / 1e9).toFixed(2)} GB, ${file.tumors} tumors: ${rate(wall)} a second, ` +
        `${rate(processor)} a second of processor`,
    )
    return { peak }
  }
  return {
    ...({ workload: 'memory', unit: 'MB', rounds: 1, contenders: [{ turn }] } as const),
    comparisons: [{ ours: 'peak', target: { atMost: 300 } }],
  }
}

/** Runs the command, whose summary has to have all tumors. */
async function measured(
  words: readonly string[],
  { tumors }: MadeFile,
  program?: string,
): Promise<MeasuredProcess> {
  const ended = await measuredProcess(words, program)
  if (!ended.errors.includes(` with ${tumors} tumors`)) {
    throw new Error(`the command saw other tumors: ${ended.errors.slice(-2000)}`)
  }
  return ended
}
