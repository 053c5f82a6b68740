import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ThreadPool } from '../../workers/pool.ts'
import type { Bench, BenchOptions, BenchOutcome, Contest, ContestOutcome } from '../bench.ts'
import { DATA_FOLDER } from '../data-folder.ts'
import { holdContest } from '../rounds.ts'
import { buildContest } from './search/build.ts'
import { type Plan, planContest } from './search/contest.ts'
import { idsIn, withDuck } from './search/duckdb/peer.ts'
import { httpContest } from './search/http.ts'
import { type Input, prepareInput } from './search/input.ts'
import { memoryContest } from './search/memory.ts'
import { openContest } from './search/open.ts'
import { openOurs, oursForm } from './search/ours.ts'
import { PINS } from './search/pins.ts'
import { withPostgres } from './search/postgres/peer.ts'
import { questionsOf, WORKLOADS, type WorkloadName } from './search/questions.ts'
import type { Peer, Stage } from './search/stage.ts'
import { tablesHttpContest } from './search/tables-http.ts'
import { THREADS } from './search/threads.ts'
import { throughputContest } from './search/throughput.ts'
import { Tuning } from './search/tuning.ts'

const TABLES: Plan = { rounds: 7, target: 8, told: ['lists'] }

/** In this process, beside the better of DuckDB and PostgreSQL. */
const PLANS: Readonly<Record<WorkloadName, Plan>> = {
  'count-selective': { rounds: 15, target: 8 },
  'count-broad': { rounds: 15, target: 8 },
  'count-range': { rounds: 15, target: 8 },
  'nested-files': { rounds: 15, target: 8, told: ['edges joined with files'] },
  'nested-samples': { rounds: 15, target: 8 },
  facets: { rounds: 9, target: 20, told: ['one pass, grouping sets'] },
  'facets-selective': { rounds: 9, target: 20, told: ['one pass, grouping sets'] },
  'facets-broad': { rounds: 9, target: 20, told: ['one pass, grouping sets'] },
  'deep-page': { rounds: 15, target: 5, told: ['top n, then the records'] },
  'deep-page-filtered': { rounds: 15, target: 5, told: ['top n, then the records'] },
  record: { rounds: 15, target: 5 },
  'records-100': { rounds: 15, target: 5 },
  aliquots: { rounds: 7, firstByte: 100 },
  tsv: { rounds: 7, target: 3 },
  manifest: { rounds: 9, target: 4, told: ['columns copied'] },
  'tables-nested-tsv': TABLES,
  'tables-nested-ndjson': TABLES,
  'tables-nested-arrow': TABLES,
  'tables-nested-parquet': TABLES,
}

/** With processes of their own. */
const APART: Readonly<Record<string, (stage: Stage, tuning: Tuning) => Promise<ContestOutcome>>> = {
  http: httpContest,
  'tables-http': tablesHttpContest,
  throughput: throughputContest,
  open: (stage) => held(openContest(stage), stage),
  memory: (stage) => held(memoryContest(stage), stage),
  build: (stage) => held(buildContest(stage), stage),
}

const held = (contest: Contest, { note }: Stage) => holdContest(contest, note)

/** Search over a release of full size, beside DuckDB and PostgreSQL. */
export const search: Bench = {
  workloads: [...WORKLOADS, ...Object.keys(APART)],
  run: runSearch,
}

async function runSearch(options: BenchOptions): Promise<BenchOutcome> {
  const pool = new ThreadPool({ threads: THREADS })
  try {
    const input = await prepareInput(options.quick ? 'quick' : 'full', pool, options.note)
    const scratch = join(DATA_FOLDER, 'search-scratch')
    // An interrupted run leaves its own behind.
    await rm(scratch, { recursive: true, force: true })
    await mkdir(scratch)
    // PostgreSQL is another user and writes bodies there, which are then read.
    await chmod(scratch, 0o777)
    const engine = await openOurs(input.home, pool)
    try {
      return await withDuck(input, (duck) =>
        withPostgres(input, async (postgres) => {
          const peers = postgres ? [duck, postgres] : [duck]
          const ours = oursForm(engine)
          return onStage({ input, ours, peers, scratch, ...(await questionsFor(input)) }, options)
        }),
      )
    } finally {
      await engine.close()
      await rm(scratch, { recursive: true, force: true })
    }
  } finally {
    await pool.close()
  }
}

async function questionsFor(input: Input) {
  const ids = await idsIn(input)
  return { questions: questionsOf(input.name, ids.length, (row) => ids[row]!) }
}

async function onStage(
  given: Omit<Stage, 'rounds' | 'note' | 'tell'>,
  { quick, rounds, note, chosen }: BenchOptions,
): Promise<BenchOutcome> {
  const findings = new Set<string>()
  const stage: Stage = {
    ...given,
    rounds: (usual) => rounds ?? (quick ? Math.ceil(usual / 4) : usual),
    note,
    tell: (finding) => void findings.add(finding),
  }
  const { input, peers } = stage
  if (!input.postgres) {
    stage.tell('PostgreSQL is missing, and so are its rows: the better peer is DuckDB')
  }
  const tuning = new Tuning(stage)
  const contests: ContestOutcome[] = []
  for (const workload of WORKLOADS) {
    if (!chosen(workload)) continue
    const contest = await planContest(stage, tuning, workload, PLANS[workload])
    contests.push(await holdContest(contest, note))
  }
  for (const [name, hold] of Object.entries(APART)) {
    if (chosen(name)) contests.push(await hold(stage, tuning))
  }
  return {
    input: describeInput(input, peers, tuning),
    contests,
    findings: [...findings],
  }
}

function describeInput({ name, seconds }: Input, peers: readonly Peer[], tuning: Tuning) {
  return {
    release: name,
    threads: THREADS,
    peers: Object.fromEntries(peers.map(({ name, version }) => [name, version])),
    preparedInSeconds: seconds,
    pins: PINS[name],
    ways: tuning.report(),
  }
}
