import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender, Contest } from '../../bench.ts'
import { HttpConnection } from '../../commons/search/http-connection.ts'
import { processorTime, type Service } from '../../commons/search/service.ts'
import { quantile } from '../../rounds.ts'
import { callOf } from '../staging/contests.ts'
import { type Cases, PATHS } from '../staging/input.ts'

/** The service, what it is asked for, and the file that others send meanwhile. */
interface BesideFiles {
  readonly service: Pick<Service, 'address' | 'pid'>
  readonly key: string
  readonly cases: Pick<Cases, 'algorithm' | 'recorded'>
  /** Path of a registry file that takes longer than a turn. */
  readonly file: string
  /** Cases of a turn. */
  readonly calls: number
  readonly rounds: number
  readonly tell: (finding: string) => void
}

const FILES = 3
const INTERVAL_MILLISECONDS = 10
const CONNECTIONS = 16
const MAX_MILLISECONDS = 20

/** Single cases, a hundred a second, alone and while three registry files are sent. */
export function besideContest(stage: BesideFiles): Contest {
  const turn = (series: string, files: number): Contender => ({
    turn: async () => {
      const senders = Array.from({ length: files }, () => startSender(stage))
      try {
        const start = performance.now()
        const before = processorTime(stage.service.pid)
        const took = await askSteadily(stage)
        const processor = processorTime(stage.service.pid) - before
        const early = senders.filter((sender) => sender.ended())
        if (early.length > 0) throw new Error('a file was over before the last case')
        const share = processor / 1000 / (performance.now() - start)
        stage.tell(`${series}: the service used ${share.toFixed(2)} processors on average`)
        return {
          [`${series} p50`]: quantile(took, 0.5),
          [`${series} p95`]: quantile(took, 0.95),
          [`${series} p99`]: quantile(took, 0.99),
        }
      } finally {
        await Promise.all(senders.map((sender) => sender.stop()))
      }
    },
  })
  return {
    workload: 'beside',
    unit: 'ms',
    rounds: stage.rounds,
    contenders: [turn('alone', 0), turn('beside', FILES)],
    comparisons: [
      { ours: 'alone p95' },
      { ours: 'beside p50' },
      { ours: 'beside p95', target: { atMost: MAX_MILLISECONDS } },
      { ours: 'beside p99' },
    ],
  }
}

/** A native client, which leaves the processors to the service. It sends the file and discards the answers. */
function startSender({ service: { address }, key, file, cases: { algorithm } }: BesideFiles) {
  const [name, version] = PATHS[algorithm].split('/').slice(-2)
  const child = spawn(
    'curl',
    [
      ...['-sS', '--fail', '-X', 'POST', '-T', file, '-o', '/dev/null'],
      ...['-H', `X-SEERAPI-Key: ${key}`, '-H', 'Content-Type: application/xml', '-H', 'Expect:'],
      `${address}/rest/naaccr/process?algorithm=${name}&version=${version}`,
    ],
    { stdio: 'ignore' },
  )
  const exit = once(child, 'exit')
  return {
    ended: () => child.exitCode !== null,
    stop: async () => {
      child.kill()
      await exit
    },
  }
}

/**
 * Sends the cases at fixed times, however long the answers take.
 * @returns the milliseconds of each, from when this process sent it
 */
async function askSteadily({ service, key, cases, calls }: BesideFiles): Promise<number[]> {
  const { algorithm, recorded } = cases
  const open = () => HttpConnection.open(service.address)
  const all = await Promise.all(Array.from({ length: CONNECTIONS }, open))
  const free = [...all]
  const took: number[] = []
  const waiting: Promise<void>[] = []
  const start = performance.now()
  const ask = async (place: number) => {
    const begun = performance.now()
    const connection = free.pop() ?? (await open())
    if (!all.includes(connection)) all.push(connection)
    await connection.ask(callOf(algorithm, key, recorded[place % recorded.length]!.input))
    took.push(performance.now() - begun)
    free.push(connection)
  }
  try {
    for (let place = 0; place < calls; place++) {
      const early = start + place * INTERVAL_MILLISECONDS - performance.now()
      if (early > 0) await sleep(early)
      waiting.push(ask(place))
    }
    await Promise.all(waiting)
    return took
  } finally {
    for (const connection of all) connection.close()
  }
}
