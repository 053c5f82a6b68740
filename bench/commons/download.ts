import { join } from 'node:path'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import type { Bench, BenchOptions, BenchOutcome, Contest, ContestOutcome } from '../bench.ts'
import { DATA_FOLDER } from '../data-folder.ts'
import { holdContest, median } from '../rounds.ts'
import { servedDigest } from './download/check.ts'
import {
  archiveContest,
  memoryContest,
  type Stage,
  singleContest,
  smallContest,
} from './download/contests.ts'
import { prepareInput } from './download/input.ts'
import { type Layout, layoutOf, type SetName } from './download/layout.ts'
import { PINS } from './download/pins.ts'
import { startPlain } from './plain-server.ts'
import { startService } from './search/service.ts'

const CONTESTS: Readonly<Record<string, (stage: Stage) => Contest>> = {
  single: singleContest,
  archive: archiveContest,
  small: smallContest,
  memory: memoryContest,
}

/** Stored files and archives of them over HTTP, beside plain files. */
export const download: Bench = {
  workloads: Object.keys(CONTESTS),
  run: runDownload,
}

async function runDownload({ quick, rounds, chosen, note }: BenchOptions): Promise<BenchOutcome> {
  const name = quick ? 'quick' : 'full'
  const layout = layoutOf(name)
  note('making the files, unless they are there')
  const folder = join(DATA_FOLDER, `download-${name}`)
  const input = await prepareInput(name, folder, inlineExecutor)
  const casemill = await startService(input.home)
  try {
    const plain = await startPlain(input.plain)
    try {
      note('comparing what is handed out with the pins')
      await checkAnswers(casemill.address, layout, PINS[name])
      const usually = (usual: number) => rounds ?? (quick ? Math.ceil(usual / 4) : usual)
      const stage: Stage = { input, layout, casemill, plain, rounds: usually }
      const contests: ContestOutcome[] = []
      for (const [workload, plan] of Object.entries(CONTESTS)) {
        if (!chosen(workload)) continue
        // It starts servers of its own, and a folder has one at a time.
        if (workload === 'memory') await casemill.stop()
        const contest = plan(stage)
        // Once before the clock starts, so that all is compiled and in the system's cache.
        if (contest.unit === 'ms') for (const each of contest.contenders) await each.turn()
        contests.push(await holdContest(contest, note))
      }
      const findings = contests.flatMap((contest) => speeds(contest, layout))
      return { input: { layout, pins: PINS[name] }, contests, findings }
    } finally {
      await plain.stop()
    }
  } finally {
    await casemill.stop()
  }
}

const ANSWERS = [
  ['single', 'files'],
  ['archive', 'tar'],
  ['archive', 'tar.gz'],
  ['small', 'files'],
] as const

async function checkAnswers(
  address: string,
  layout: Layout,
  pins: Readonly<Record<SetName, string>>,
): Promise<void> {
  for (const [set, way] of ANSWERS) {
    const digest = await servedDigest(address, layout, set, way)
    if (digest !== pins[set]) throw new Error(`${set} as ${way} has md5 ${digest}`)
  }
}

/** Times of known amounts, as speeds. */
function speeds({ workload, series, unit }: ContestOutcome, layout: Layout): string[] {
  const set = layout[workload as SetName]
  if (unit !== 'ms' || !set) return []
  return Object.entries(series).map(([name, values]) => {
    const milliseconds = median(values)
    const megabytes = Math.round((set.count * set.bytes) / 1000 / milliseconds)
    const perSecond = Math.round((set.count * 1000) / milliseconds)
    const files = set.count > 1 ? `, ${perSecond} files a second` : ''
    return `${workload}, ${name}: ${megabytes} MB/s${files}`
  })
}
