import { mkdtemp, open, rm } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ThreadPool } from '../../workers/pool.ts'
import type { Bench, BenchOptions, BenchOutcome, Contest } from '../bench.ts'
import { holdContest, median } from '../rounds.ts'
import { processorTime, type Service, startService } from './search/service.ts'
import { prepareInput } from './slicing/input.ts'
import { layoutOf, regionText, requestsOf } from './slicing/layout.ts'
import { THREADS } from './slicing/ours.ts'
import { controlledHome } from './tickets/home.ts'

const WORKLOAD = 'recorded-slices'
/** Requests per second, whether or not earlier ones are answered. */
const RATE = 200
const LINE_BYTES = 500

/** Small controlled slices by a service that records them, and by one that does not. */
export const audit: Bench = { workloads: [WORKLOAD], run: runAudit }

async function runAudit({ quick, rounds, note }: BenchOptions): Promise<BenchOutcome> {
  const layoutName = quick ? 'quick' : 'full'
  const pool = new ThreadPool({ threads: THREADS })
  const home = await prepareInput(layoutName, pool, note).finally(() => pool.close())
  const { folder, file, token } = await controlledHome(home)
  const regions = requestsOf(layoutOf(layoutName), 'small').map((intervals) =>
    intervals.map((one) => `region=${regionText(one)}`).join('&'),
  )
  const seconds = quick ? 2 : 10
  const load = { path: `/slicing/view/${file.id}`, token, regions, seconds }
  // One after the other, because a folder has one service at a time.
  const turn = async (settings: Readonly<Record<string, string>>) => {
    const service = await startService(folder, settings)
    try {
      await underLoad(service, { ...load, seconds: 1 })
      const before = processorTime(service.pid)
      const times = await underLoad(service, load)
      const processor = (processorTime(service.pid) - before) / 1000 / times.length
      return { milliseconds: median(times), processor }
    } finally {
      await service.stop()
    }
  }
  const both = async () => {
    const without = await turn({})
    const recorded = await turn({ CASEMILL_AUDIT: 'true' })
    const sync = await syncTime(folder)
    return {
      recorded: recorded.milliseconds,
      'not recorded': without.milliseconds,
      'sync of a line alone': sync,
      'more than the sync': recorded.milliseconds - without.milliseconds - sync,
      'recorded, processor': recorded.processor,
      'not recorded, processor': without.processor,
    }
  }
  const contest: Contest = {
    workload: WORKLOAD,
    unit: 'ms',
    rounds: rounds ?? (quick ? 3 : 9),
    contenders: [{ turn: both }],
    comparisons: [
      { ours: 'recorded', peer: 'not recorded', as: 'times as long' },
      { ours: 'sync of a line alone' },
      { ours: 'more than the sync', target: { atMost: 3 } },
      { ours: 'recorded, processor', peer: 'not recorded, processor', as: 'times as long' },
    ],
  }
  try {
    const outcome = await holdContest(contest, note)
    const input = { layout: layoutName, requestsPerSecond: RATE, seconds, threads: THREADS }
    return { input, contests: [outcome], findings: [] }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Load {
  readonly path: string
  readonly token: string
  /** Query strings, which take turns. */
  readonly regions: readonly string[]
  readonly seconds: number
}

/** Sends requests at the rate. Returns the milliseconds from when each was due to its last byte. */
async function underLoad(
  { address }: Service,
  { path, token, regions, seconds }: Load,
): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true })
  const start = performance.now()
  const answers = Array.from({ length: seconds * RATE }, async (_, i) => {
    const due = start + (i * 1000) / RATE
    await sleep(due - performance.now())
    await taken(`${address}${path}?${regions[i % regions.length]}`, token, agent)
    return performance.now() - due
  })
  return Promise.all(answers).finally(() => agent.destroy())
}

function taken(url: string, token: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = get(url, { agent, headers: { 'x-auth-token': token } }, (answer) => {
      if (answer.statusCode !== 206) reject(new Error(`status ${answer.statusCode}`))
      answer.on('error', reject).on('end', resolve).resume()
    })
    sent.on('error', reject)
  })
}

/** Returns the median milliseconds of appending a line to a file on the same disk and syncing it. */
async function syncTime(folder: string): Promise<number> {
  const own = await mkdtemp(join(folder, 'sync-'))
  const file = await open(join(own, 'lines'), 'w')
  try {
    const times: number[] = []
    for (let i = 0; i < RATE; i++) {
      const start = performance.now()
      await file.write(Buffer.alloc(LINE_BYTES, 10))
      await file.datasync()
      times.push(performance.now() - start)
    }
    return median(times)
  } finally {
    await file.close()
    await rm(own, { recursive: true })
  }
}
