import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ThreadPool } from '../../workers/pool.ts'
import type { Bench, BenchOptions, BenchOutcome, Contest, ContestOutcome } from '../bench.ts'
import { DATA_FOLDER } from '../data-folder.ts'
import { holdContest } from '../rounds.ts'
import { type Plan, planContest } from './analysis/contest.ts'
import {
  besideCrowdContest,
  cancelContest,
  crowdMemoryContest,
  sharesContest,
} from './analysis/fairness.ts'
import { type Input, prepareInput } from './analysis/input.ts'
import { LAYOUTS } from './analysis/layout.ts'
import { memoryContest } from './analysis/memory.ts'
import { type Peers, withPeers } from './analysis/peers.ts'
import { PINS } from './analysis/pins.ts'
import { findPython } from './analysis/python-peer.ts'
import { mutatedGenes, questionsOf, WORKLOADS, type WorkloadName } from './analysis/questions.ts'
import { SETTINGS, type Stage } from './analysis/stage.ts'
import { holdSurvival } from './analysis/survival.ts'
import { startService } from './search/service.ts'
import { THREADS } from './search/threads.ts'

/** Tables beside pandas; the square one beside numpy's own writer, too. */
const TABLE = { 'pandas to_csv': 15 }

const PLANS: Readonly<Record<WorkloadName, Plan>> = {
  'values-few-genes': { rounds: 7, targets: TABLE },
  'values-square': { rounds: 7, targets: { ...TABLE, 'numpy savetxt': 4 } },
  'values-all-genes': { rounds: 3, targets: TABLE },
  selection: { rounds: 9, targets: { DuckDB: 8 } },
  'selection-all': { rounds: 5, targets: { numpy: 5 }, without: ['DuckDB'] },
  differential: { rounds: 9, targets: { scipy: 1 } },
  coexpression: { rounds: 9, targets: { scipy: 1 } },
  survival: { rounds: 9 },
  'top-genes': { rounds: 9, targets: { DuckDB: 10 } },
  'top-genes-impact': { rounds: 9 },
  'top-cases': { rounds: 9 },
  'cases-of-genes': { rounds: 9 },
  'mutated-cases': { rounds: 9, targets: { DuckDB: 3 } },
  cells: { rounds: 9, targets: { 'h5py and JSON': 1, 'h5py, rows alone': 1 } },
}

/** Without a peer. */
const APART: Readonly<Record<string, (stage: Stage) => Contest | Promise<Contest>>> = {
  memory: memoryContest,
  'fairness-shares': sharesContest,
  'fairness-memory': crowdMemoryContest,
  'fairness-cancel': cancelContest,
  'fairness-beside': besideCrowdContest,
}

/** Expression, survival, counts of mutations and single cells, beside what an analyst would run. */
export const analysis: Bench = {
  workloads: [...WORKLOADS, ...Object.keys(APART)],
  run: runAnalysis,
}

async function runAnalysis(options: BenchOptions): Promise<BenchOutcome> {
  const name = options.quick ? 'quick' : 'full'
  const folder = join(DATA_FOLDER, `analysis-${name}`)
  const python = await findPython()
  const pool = new ThreadPool({ threads: THREADS })
  const input = await prepareInput({
    name,
    folder,
    executor: pool,
    python,
    note: options.note,
  }).finally(() => pool.close())
  const scratch = await freshScratch()
  try {
    return await withPeers(input, { python, scratch }, (peers) => onStage(input, peers, options))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** In memory where there is such a folder, since bodies of peers go there. */
async function freshScratch(): Promise<string> {
  const name = `casemill-bench-${process.pid}`
  const inMemory = join('/dev/shm', name)
  const made = await mkdir(inMemory).then(
    () => true,
    () => false,
  )
  if (made) return inMemory
  const onDisk = join(DATA_FOLDER, name)
  await mkdir(onDisk, { recursive: true })
  return onDisk
}

async function onStage(
  input: Input,
  peers: Peers,
  { quick, rounds, note, chosen }: BenchOptions,
): Promise<BenchOutcome> {
  const findings = new Set<string>(peers.missing)
  const service = await startService(input.home, SETTINGS)
  try {
    const stage: Stage = {
      input,
      peers,
      service,
      note,
      questions: await questionsOf(input.name, input.matrix, await mutatedGenes(input.frames)),
      rounds: (usual) => rounds ?? (quick ? Math.ceil(usual / 4) : usual),
      tell: (finding) => findings.add(finding),
    }
    const contests: ContestOutcome[] = []
    for (const workload of WORKLOADS.filter(chosen)) {
      if (workload === 'cells' && !input.cells) continue
      const plan = PLANS[workload]
      contests.push(
        workload === 'survival'
          ? await holdSurvival(stage, plan.rounds)
          : await holdContest(await planContest(stage, workload, plan), note),
      )
    }
    // They start servers of their own, and a folder has one at a time.
    await service.stop()
    for (const [workload, plan] of Object.entries(APART)) {
      if (chosen(workload)) contests.push(await holdContest(await plan(stage), note))
    }
    return { input: factsOf(input, peers), contests, findings: [...findings] }
  } finally {
    await service.stop()
  }
}

const factsOf = ({ name, seconds }: Input, { versions }: Peers) => ({
  layout: LAYOUTS[name],
  pins: PINS[name],
  seconds,
  versions,
})
