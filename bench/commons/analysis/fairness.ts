import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender, Contest } from '../../bench.ts'
import { quantile } from '../../rounds.ts'
import { fetchAway } from '../download/fetch.ts'
import type { SinkTarget } from '../download/sink.ts'
import type { Service } from '../search/service.ts'
import { startCrowd } from './crowd.ts'
import { type CrowdReport, TICK_MILLISECONDS } from './crowd-child.ts'
import { MAX_GROWTH, startWarm } from './memory.ts'
import { askOurs, targetOf } from './ours.ts'
import type { Question } from './questions.ts'
import type { Stage } from './stage.ts'

const CLIENTS = 10
const WINDOW_MILLISECONDS = 5_000
const CROWD_MILLISECONDS = 15_000

/** The largest table: all genes, centred. */
const largeOf = ({ questions }: Stage): SinkTarget => targetOf(questions['values-all-genes'][0]!)

/** Ten clients that read large tables at the same time, again and again, and nobody else. */
export function sharesContest(stage: Stage): Contest {
  const { service } = stage
  return {
    workload: 'fairness-shares',
    unit: 'of an equal share',
    rounds: stage.rounds(3),
    contenders: [
      {
        turn: async () => {
          const crowd = await startCrowd(service.address, largeOf(stage), CLIENTS)
          await sleep(CROWD_MILLISECONDS)
          const report = await crowd.stop()
          const { ticks, answers } = report
          const bytes = ticks.at(-1)!.reduce((all, count) => all + count, 0)
          const perSecond = bytes / 1000 / (ticks.length * TICK_MILLISECONDS)
          stage.tell(`ten at once: ${perSecond.toFixed(0)} MB/s, ${answers} answers to their end`)
          return { 'least of a client in 5 s': leastShare(report) }
        },
      },
    ],
    comparisons: [{ ours: 'least of a client in 5 s', target: { atLeast: 0.5 } }],
  }
}

/** Over every window and every client, its bytes beside what each would have of an equal division. */
export function leastShare({ ticks }: Pick<CrowdReport, 'ticks'>): number {
  const window = WINDOW_MILLISECONDS / TICK_MILLISECONDS
  if (ticks.length <= window) throw new Error('the crowd was too short for a window')
  let least = Number.POSITIVE_INFINITY
  for (let end = window; end < ticks.length; end++) {
    const bytes = ticks[end]!.map((count, client) => count - ticks[end - window]![client]!)
    const equal = bytes.reduce((all, count) => all + count, 0) / bytes.length
    least = Math.min(least, Math.min(...bytes) / equal)
  }
  return least
}

/** What the service holds for each of the ten. */
export function crowdMemoryContest(stage: Stage): Contest {
  const series = 'growth for each of ten'
  return {
    workload: 'fairness-memory',
    unit: 'MB',
    rounds: stage.rounds(2),
    contenders: [
      {
        turn: async () => {
          const service = await startWarm(stage)
          try {
            await service.rest()
            const crowd = await startCrowd(service.address, largeOf(stage), CLIENTS)
            await sleep(WINDOW_MILLISECONDS)
            await crowd.stop()
            return { [series]: service.growth() / CLIENTS }
          } finally {
            await service.stop()
          }
        },
      },
    ],
    comparisons: [{ ours: series, target: { atMost: MAX_GROWTH } }],
  }
}

/** The processor's time in this long is at most so much when nothing is under way. */
const CALM = { milliseconds: 20, busy: 3 } as const
const HEAD_START_MILLISECONDS = 1_000
const LATE_MILLISECONDS = 10_000

/**
 * A client leaves in the middle of a large table while it is made: until the threads of the service
 * rest, and how long a small table takes that is asked for at that moment.
 */
export function cancelContest(stage: Stage): Contest {
  const { service } = stage
  const small = targetOf(smallTable(stage))
  const leave = async () => {
    const crowd = await startCrowd(service.address, largeOf(stage), 1)
    await sleep(HEAD_START_MILLISECONDS)
    return crowd
  }
  const target = { atMost: 250 }
  return {
    workload: 'fairness-cancel',
    unit: 'ms',
    rounds: stage.rounds(7),
    contenders: [
      {
        turn: async () => {
          const { left } = await (await leave()).stop()
          return { 'until the threads rest': await restAfter(service, left) }
        },
      },
      {
        turn: async () => {
          const leaving = (await leave()).stop()
          const start = performance.now()
          await askOurs(service.address, small)
          const milliseconds = performance.now() - start
          await leaving
          return { 'small table asked then': milliseconds }
        },
      },
    ],
    comparisons: [
      { ours: 'until the threads rest', target },
      { ours: 'small table asked then', target },
    ],
  }
}

/** How long after `left` the service's processor time stands still. */
async function restAfter({ pid }: Service, left: number): Promise<number> {
  for (let before = busyTime(pid); ; ) {
    const elapsed = performance.timeOrigin + performance.now() - left
    await sleep(CALM.milliseconds)
    const now = busyTime(pid)
    if (now - before <= CALM.busy) return elapsed
    if (elapsed > LATE_MILLISECONDS) throw new Error('the service does not come to rest')
    before = now
  }
}

/** Milliseconds that all threads of a process have run, or waited for a processor. Linux only. */
function busyTime(pid: number | undefined): number {
  const folder = `/proc/${pid}/task`
  const nanoseconds = readdirSync(folder).flatMap((thread) => {
    const [ran, waited] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')
    return [Number(ran), Number(waited)]
  })
  return nanoseconds.reduce((all, each) => all + each, 0) / 1e6
}

/** Of each small request in a turn. */
const ASKED = 50

/** Ten genes of ten cases. */
function smallTable({ questions }: Stage): Question {
  const [table] = questions['values-few-genes']
  if (table?.kind !== 'values') throw new Error('values are asked for otherwise')
  return { ...table, cases: table.cases.slice(0, 10) }
}

function smallTargets(stage: Stage): Readonly<Record<string, readonly SinkTarget[]>> {
  const small = smallTable(stage)
  const counts = stage.questions['cases-of-genes']
  const many = (target: (i: number) => SinkTarget) =>
    Array.from({ length: ASKED }, (_, i) => target(i))
  return {
    status: many(() => ({ path: '/status' })),
    values: many(() => targetOf(small)),
    count: many((i) => targetOf(counts[i % counts.length]!)),
  }
}

/** Small requests, alone and beside ten clients that read large tables. */
export async function besideCrowdContest(stage: Stage): Promise<Contest> {
  const { service } = stage
  const targets = smallTargets(stage)
  const ask = async (suffix: string) => {
    const series: Record<string, number> = {}
    for (const [name, asked] of Object.entries(targets)) {
      const { times } = await fetchAway({ address: service.address, targets: asked })
      series[`${name}${suffix}`] = quantile(times, 0.95)
    }
    return series
  }
  const contenders: Contender[] = [
    { turn: () => ask(', alone p95') },
    {
      turn: async () => {
        const crowd = await startCrowd(service.address, largeOf(stage), CLIENTS)
        try {
          return await ask(', beside p95')
        } finally {
          await crowd.stop()
        }
      },
    },
  ]
  await contenders[0]!.turn()
  return {
    workload: 'fairness-beside',
    unit: 'ms',
    rounds: stage.rounds(7),
    contenders,
    comparisons: Object.keys(targets).map((name) => ({
      ours: `${name}, beside p95`,
      peer: `${name}, alone p95`,
      as: 'times as long',
      target: { atMost: 3 },
    })),
  }
}
