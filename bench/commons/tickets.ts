import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ThreadPool } from '../../workers/pool.ts'
import type { Bench, BenchOptions, BenchOutcome, ContestOutcome } from '../bench.ts'
import { DATA_FOLDER } from '../data-folder.ts'
import { holdContest } from '../rounds.ts'
import { hasTool } from '../tools.ts'
import { startService } from './search/service.ts'
import { type Home, prepareInput } from './slicing/input.ts'
import { type Layout, layoutOf, requestsOf } from './slicing/layout.ts'
import { THREADS } from './slicing/ours.ts'
import { type Checked, mustAgree } from './tickets/check.ts'
import { Client } from './tickets/client.ts'
import { bytesContest, timesContest } from './tickets/contests.ts'
import { withFirstBytes } from './tickets/first-byte.ts'
import { controlledHome } from './tickets/home.ts'
import { openIndexed, rangesByIndex } from './tickets/index-chunks.ts'
import { requestsFor, WORKLOADS } from './tickets/requests.ts'

const FIRST_BYTE = 'first-byte'

/** Exact tickets beside slices, and beside what a server names that knows the index of a file alone. */
export const tickets: Bench = { workloads: [...WORKLOADS, FIRST_BYTE], run: runTickets }

async function runTickets(options: BenchOptions): Promise<BenchOutcome> {
  const layoutName = options.quick ? 'quick' : 'full'
  const layout = layoutOf(layoutName)
  const home = await importedOnce(layoutName, options)
  const contests: ContestOutcome[] = []
  const findings: string[] = []
  if (options.chosen(FIRST_BYTE)) contests.push(...(await firstBytes(home, layout, options)))
  if (WORKLOADS.some(options.chosen)) {
    const tell = (finding: string) => void findings.push(finding)
    contests.push(...(await served(home, layoutName, options, tell)))
  }
  const { size: bytes } = await stat(home.paths.path)
  const input = { layout: layoutName, bytes, threads: THREADS, geneIntervals: layout.genes.length }
  return { input, contests, findings }
}

/** By a service in a process of its own. */
async function served(
  home: Home,
  layoutName: 'quick' | 'full',
  { chosen, note, quick, rounds = quick ? 3 : 9 }: BenchOptions,
  tell: (finding: string) => void,
): Promise<readonly ContestOutcome[]> {
  if (!hasTool('samtools')) tell('without samtools no record was counted')
  const scratch = join(DATA_FOLDER, 'scratch-tickets')
  await rm(scratch, { recursive: true, force: true })
  await mkdir(scratch)
  const controlled = await controlledHome(home)
  const { address, pid, stop } = await startService(controlled.folder)
  const client = new Client(address, controlled.file.id, controlled.token)
  const contests: ContestOutcome[] = []
  try {
    const byIndex = rangesByIndex(await openIndexed(controlled.paths))
    const checked: Checked = { client, byIndex, scratch, layoutName }
    for (const workload of WORKLOADS.filter(chosen)) {
      const requests = await requestsFor(workload, layoutOf(layoutName), client)
      note(`${workload}: comparing answers`)
      await mustAgree(requests, checked)
      const [asked, given] = [requests.requests.length, requests.tickets.length]
      if (given > asked) tell(`${workload}: ${asked} requests take ${given} tickets`)
      const measured = { workload, requests, client, byIndex, pid }
      contests.push(await holdContest(await timesContest(measured, rounds), note))
      contests.push(await holdContest(bytesContest(measured), note))
    }
    return contests
  } finally {
    client.close()
    await stop()
    await rm(scratch, { recursive: true, force: true })
    await rm(controlled.folder, { recursive: true, force: true })
  }
}

async function importedOnce(layoutName: 'quick' | 'full', { note }: BenchOptions): Promise<Home> {
  const pool = new ThreadPool({ threads: THREADS })
  try {
    return await prepareInput(layoutName, pool, note)
  } finally {
    await pool.close()
  }
}

function firstBytes(
  home: Home,
  layout: Layout,
  { rounds, quick, note }: BenchOptions,
): Promise<readonly ContestOutcome[]> {
  return withFirstBytes(home, async (contest) => {
    const outcomes: ContestOutcome[] = []
    for (const set of ['small', 'genes'] as const) {
      const workload = `${FIRST_BYTE}, ${set === 'small' ? 'gene' : set}`
      const planned = contest(workload, requestsOf(layout, set), rounds ?? (quick ? 3 : 9))
      // What is learned of blocks, and compiled code, are not what is measured.
      for (const { turn } of [...planned.contenders, ...planned.contenders]) await turn()
      outcomes.push(await holdContest(planned, note))
    }
    return outcomes
  })
}
