import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { openEngine } from '../../engine/index.ts'
import { compareLine } from '../../engine/registry/multiple-primaries/compare-lines.ts'
import { comparePair } from '../../engine/registry/multiple-primaries/compare-pair.ts'
import { Rules } from '../../engine/registry/multiple-primaries/rules.ts'
import { shippedHematopoietic } from '../../engine/registry/multiple-primaries/shipped-hematopoietic.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import type { Bench, BenchOptions, BenchOutcome, Contest, ContestOutcome } from '../bench.ts'
import { startService } from '../commons/search/service.ts'
import { holdContest, median } from '../rounds.ts'
import { digestOf, sendLines } from './line-batch.ts'
import {
  answerText,
  BATCH,
  batchContest,
  type Ground,
  inProcessContest,
  JSON_ALONE,
  moduleContest,
  PARSED,
  RULE_BY_RULE,
  TEXT,
} from './mph/contests.ts'
import {
  countOutcomes,
  hasRecorded,
  type InputName,
  linesOf,
  type Recorded,
  readPairs,
  YEAR,
} from './mph/input.ts'
import { NaiveRules } from './mph/naive.ts'
import { PINS } from './mph/pins.ts'
import { piecesOf } from './staging/text.ts'

const CONTESTS: Readonly<Record<string, (ground: Ground) => Contest>> = {
  pairs: inProcessContest,
  modules: moduleContest,
  batch: batchContest,
}

interface Amounts {
  /** How often the file has all pairs. */
  readonly times: number
  readonly turnOfModule: number
}

const AMOUNTS: Readonly<Record<'full' | 'quick', Amounts>> = {
  full: { times: 4, turnOfModule: 100_000 },
  quick: { times: 1, turnOfModule: 2000 },
}

/** Comparison of recorded pairs of tumours, in process and over HTTP. */
export const mph: Bench = { workloads: Object.keys(CONTESTS), run: runMph }

async function runMph(options: BenchOptions): Promise<BenchOutcome> {
  const { quick, rounds, note, chosen } = options
  if (!hasRecorded) {
    const findings = ['nothing was measured: the recorded pairs are missing beside the checkout']
    return { input: {}, contests: [], findings }
  }
  const name: InputName = quick ? 'quick' : 'full'
  note('comparing what is answered with what was recorded')
  const pairs = readPairs(name)
  const naive = new NaiveRules(YEAR)
  checkPairs(pairs, name, naive)
  const lines = linesOf(pairs)
  const folder = await mkdtemp(join(tmpdir(), 'casemill-bench-mph-'))
  try {
    const key = await makeHome(folder)
    const path = join(folder, 'pairs.ndjson')
    const { times, turnOfModule } = AMOUNTS[name]
    await writeFile(path, lines.repeat(times))
    const service = await startService(folder)
    try {
      const rules = rulesOf(new Date().getFullYear())
      const ground: Ground = {
        pairs,
        lines,
        path,
        times,
        rules,
        naive,
        service,
        key,
        turnOfModule,
        rounds: (usual) => rounds ?? (quick ? Math.ceil(usual / 4) : usual),
      }
      await checkBatch(ground)
      const contests: ContestOutcome[] = []
      for (const [workload, plan] of Object.entries(CONTESTS)) {
        if (!chosen(workload)) continue
        const contest = plan(ground)
        // Once before the clock starts, so that all is compiled.
        for (const contender of contest.contenders) await contender.turn()
        contests.push(await holdContest(contest, note))
      }
      const findings = contests.flatMap((contest) => rates(contest, ground))
      return { input: { pins: PINS[name] }, contests, findings }
    } finally {
      await service.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeHome(dataFolder: string): Promise<string> {
  const engine = await openEngine({ dataFolder, executor: inlineExecutor })
  const { secret } = await engine.shared.keys.create()
  await engine.close()
  return secret
}

function rulesOf(year: number): Rules {
  return new Rules({ hematopoietic: shippedHematopoietic(), yearNow: () => year })
}

/** @throws Error when one of them judges a pair otherwise than was recorded */
function checkPairs(pairs: readonly Recorded[], name: 'full' | 'quick', naive: NaiveRules): void {
  const rules = rulesOf(YEAR)
  const counted = [
    countOutcomes(pairs, (pair) => comparePair(rules, pair)),
    countOutcomes(pairs, (pair) => naive.compare(pair)),
  ]
  for (const counts of counted) {
    if (isDeepStrictEqual(counts, PINS[name])) continue
    throw new Error(`there are other pairs than are pinned: ${JSON.stringify(counts)}`)
  }
}

/** @throws Error when the service answers otherwise than the rules, in the year that it is now */
async function checkBatch({ lines, path, times, rules, service, key }: Ground): Promise<void> {
  const answer = compareLine(rules)
  const hash = createHash('md5')
  const texts = piecesOf(Buffer.from(lines)).map((piece) => answerText(piece, answer))
  for (let i = 0; i < times; i++) for (const text of texts) hash.update(text)
  const answers = `${path}.answers`
  const { address } = service
  await sendLines({ address, key, path: '/rest/mph/batch', lines: path }, answers)
  if ((await digestOf(answers)) !== hash.digest('hex')) {
    throw new Error('the service answers the batch otherwise than the rules do')
  }
}

/** Times of known numbers of pairs, as rates; in process they are of one core. */
function rates({ workload, series }: ContestOutcome, ground: Ground): string[] {
  const { pairs, times, turnOfModule } = ground
  const countOf = (name: string) => {
    if (workload === 'modules') return turnOfModule
    if (name === BATCH) return pairs.length * times
    return [PARSED, TEXT, RULE_BY_RULE, JSON_ALONE].includes(name) ? pairs.length : undefined
  }
  return Object.entries(series).flatMap(([name, values]) => {
    const count = countOf(name)
    if (count === undefined) return []
    const perSecond = Math.round((count * 1000) / median(values) / 1000) * 1000
    return [`${workload}, ${name}: ${perSecond} pairs a second`]
  })
}
