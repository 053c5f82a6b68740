import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { CompiledVersion } from '../../engine/registry/staging/algorithm/compiled-version.ts'
import type { VersionContent } from '../../engine/registry/staging/algorithm/model.ts'
import { readAlgorithmZip } from '../../engine/registry/staging/algorithm/read-zip.ts'
import { stage } from '../../engine/registry/staging/algorithm/stage.ts'
import type { Bench, BenchOptions, BenchOutcome, Contest, ContestOutcome } from '../bench.ts'
import { type Service, startService } from '../commons/search/service.ts'
import { holdContest, median } from '../rounds.ts'
import { digestOf } from './line-batch.ts'
import { countResults } from './staging/answers.ts'
import { sendBatch } from './staging/batch.ts'
import {
  BATCH,
  batchContest,
  inProcessContest,
  MAPS,
  ROW_SCAN,
  type Stage,
  singleContest,
  TEXT,
  THREADED,
} from './staging/contests.ts'
import { makeHome, type StagingHome } from './staging/home.ts'
import {
  ALGORITHMS,
  type AlgorithmName,
  ARCHIVES,
  type Cases,
  hasRecorded,
  type InputName,
  linesOf,
  readCases,
  YEAR,
} from './staging/input.ts'
import { NaiveVersion } from './staging/naive.ts'
import { PINS } from './staging/pins.ts'
import { piecesOf, stageText } from './staging/text.ts'
import { startTextThreads } from './staging/text-threads.ts'

const CONTESTS: Readonly<Record<string, (stage: Stage) => Contest>> = {
  '': inProcessContest,
  '-single': singleContest,
  '-batch': batchContest,
}

const workloadsOf = (algorithm: AlgorithmName) =>
  Object.keys(CONTESTS).map((ending) => `${algorithm}${ending}`)

/** Staging of recorded cases, beside a plain interpreter of the same rules and over HTTP. */
export const staging: Bench = {
  workloads: ALGORITHMS.flatMap(workloadsOf),
  run: runStaging,
}

async function runStaging(options: BenchOptions): Promise<BenchOutcome> {
  const name: InputName = options.quick ? 'quick' : 'full'
  if (!hasRecorded) {
    const findings = ['nothing was measured: the recorded cases are missing beside the checkout']
    return { input: {}, contests: [], findings }
  }
  options.note('importing the published algorithms')
  await using home = await makeHome(
    ALGORITHMS.filter((algorithm) => workloadsOf(algorithm).some(options.chosen)),
  )
  const service = await startService(home.folder)
  try {
    const contests: ContestOutcome[] = []
    const findings: string[] = []
    for (const algorithm of ALGORITHMS) {
      if (!workloadsOf(algorithm).some(options.chosen)) continue
      options.note(`${algorithm}: comparing what everybody answers with what was recorded`)
      const cases = readCases(name, algorithm)
      const held = await holdContests(cases, { name, home, service, options })
      contests.push(...held)
      findings.push(...held.flatMap((contest) => rates(contest, cases)))
    }
    return { input: { pins: PINS[name] }, contests, findings }
  } finally {
    await service.stop()
  }
}

interface Ground {
  readonly name: InputName
  readonly home: StagingHome
  readonly service: Service
  readonly options: BenchOptions
}

async function holdContests(
  cases: Cases,
  { name, home, service, options }: Ground,
): Promise<ContestOutcome[]> {
  const { rounds, quick, note, chosen } = options
  const { algorithm } = cases
  const lines = linesOf(cases)
  const path = join(home.folder, `${algorithm}.ndjson`)
  await writeFile(path, lines)
  const content = await readAlgorithmZip(ARCHIVES[algorithm])
  const engines = checkedEngines(content, cases, name)
  const threads = await startTextThreads(algorithm, lines)
  try {
    const stage: Stage = {
      cases,
      lines,
      path,
      ...engines,
      threads,
      service,
      key: home.key,
      rounds: (usual) => rounds ?? (quick ? Math.ceil(usual / 4) : usual),
    }
    await checkTexts(stage, content)
    const contests: ContestOutcome[] = []
    for (const [ending, plan] of Object.entries(CONTESTS)) {
      if (!chosen(`${algorithm}${ending}`)) continue
      const contest = plan(stage)
      // Once before the clock starts, so that all is compiled.
      for (const contender of contest.contenders) await contender.turn()
      contests.push(await holdContest(contest, note))
    }
    return contests
  } finally {
    await threads.stop()
  }
}

/** @throws Error when one of them stages a case otherwise than was recorded */
function checkedEngines(content: VersionContent, cases: Cases, name: InputName) {
  const compiled = new CompiledVersion(content, { yearNow: () => YEAR })
  const naive = new NaiveVersion(content, YEAR)
  const counted = [
    countResults(cases, (input) => stage(compiled, input)),
    countResults(cases, (input) => naive.stage(input)),
  ]
  for (const counts of counted) {
    if (isDeepStrictEqual(counts, PINS[name][cases.algorithm])) continue
    throw new Error(`${cases.algorithm} has other cases than are pinned: ${JSON.stringify(counts)}`)
  }
  return { compiled, naive }
}

/** @throws Error when threads or service answer otherwise, in the year that it is now */
async function checkTexts(
  { cases, lines, path, threads, service, key }: Stage,
  content: VersionContent,
) {
  const { algorithm } = cases
  const compiled = new CompiledVersion(content)
  const hash = createHash('md5')
  let bytes = 0
  for (const piece of piecesOf(Buffer.from(lines))) {
    const answers = stageText(piece, compiled)
    hash.update(answers)
    bytes += answers.length
  }
  const counted = await threads.run()
  if (counted !== bytes) throw new Error(`threads answer ${counted} bytes of ${bytes}`)
  const answers = `${path}.staged`
  await sendBatch({ address: service.address, key, algorithm, cases: path }, answers)
  if ((await digestOf(answers)) !== hash.digest('hex')) {
    throw new Error(`the service answers the batch of ${algorithm} otherwise than the engine`)
  }
}

/** Times of known numbers of cases, as rates; in process they are of one core. */
function rates({ workload, series }: ContestOutcome, { recorded, times }: Cases): string[] {
  return [MAPS, TEXT, ROW_SCAN, THREADED, BATCH].flatMap((name) => {
    const values = series[name]
    if (!values) return []
    const perSecond = Math.round((recorded.length * times * 1000) / median(values) / 100) * 100
    return [`${workload}, ${name}: ${perSecond} cases a second`]
  })
}
