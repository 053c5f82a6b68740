import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type {
  Bench,
  BenchOptions,
  BenchOutcome,
  Comparison,
  Contender,
  ContestOutcome,
} from './bench.ts'
import { DATA_FOLDER } from './data-folder.ts'
import { digestOf, type Workload, workloadsOf } from './nodes/workloads.ts'
import { holdContest, median } from './rounds.ts'
import { keyOf, prepareHomes } from './scale/homes.ts'
import { type ScaledService, startScaled } from './scale/service.ts'

/** The service by 1, 2, 4 and more processes: what a request costs them, and how many they answer. */
export const scale: Bench = {
  workloads: ['slices', 'search', 'tables', 'staging'],
  run: runScale,
}

/** Told of larger machines, too, as what was not measured. */
const COUNTS = [1, 2, 4, 8, 16, 32, 64]
/** Measured on any machine: beyond its processors, only what a request costs tells anything. */
const ALWAYS = 4
const CONNECTIONS = 32
/** Relative to one process: a request may cost a tenth more. */
const COST = { atLeast: 0.9 }

const nameOf = (processes: number) => (processes === 1 ? '1 process' : `${processes} processes`)
const costOf = (processes: number) => `${nameOf(processes)}: processor`

/** A service of some processes, and its own key of the registry. */
interface Contestant {
  readonly processes: number
  readonly service: ScaledService
  readonly workloads: readonly Workload[]
}

async function runScale({ quick, rounds, chosen, note }: BenchOptions): Promise<BenchOutcome> {
  const processors = availableParallelism()
  const measured = COUNTS.filter((count) => count <= Math.max(ALWAYS, processors))
  const turns = rounds ?? (quick ? 2 : 9)
  note('making a demo for each service, unless it is there')
  const homes = await prepareHomes(join(DATA_FOLDER, 'scale'), measured)
  await using stack = new AsyncDisposableStack()
  const contestants: Contestant[] = []
  for (const [i, processes] of measured.entries()) {
    const home = homes[i]!
    const workloads = workloadsOf(await keyOf(home))
    const service = await startScaled(home, processes)
    stack.defer(() => service.stop())
    contestants.push({ processes, service, workloads })
  }
  const contests: ContestOutcome[] = []
  const findings: string[] = []
  const answers: Record<string, string> = {}
  for (const [i, { name, questions: all }] of contestants[0]!.workloads.entries()) {
    if (!chosen(name)) continue
    const questions = quick ? all / 10 : all
    const digests = await Promise.all(
      contestants.map(({ workloads, service }) => digestOf(workloads[i]!, service.address)),
    )
    if (new Set(digests).size !== 1) throw new Error(`${name}: services answer differently`)
    answers[name] = digests[0]!
    const contenders = contestants.map(
      ({ processes, service, workloads }): Contender => ({
        turn: async () => {
          const { wall, processor } = await cost(service, workloads[i]!, questions)
          return { [nameOf(processes)]: wall, [costOf(processes)]: processor }
        },
      }),
    )
    for (const { turn } of contenders) await turn()
    const before = contestants.map(({ service }) => service.processorTimes())
    const comparisons = measured
      .slice(1)
      .flatMap((processes): readonly Comparison[] => [
        { ours: costOf(processes), peer: costOf(1), as: 'times as fast', target: COST },
        ...(processes <= processors
          ? [{ ours: nameOf(processes), peer: nameOf(1), as: 'times as fast' } as const]
          : []),
      ])
    const contest = { workload: name, unit: 'ms', contenders, comparisons } as const
    const outcome = await holdContest({ ...contest, rounds: turns }, note)
    contests.push(outcome)
    for (const [j, { processes, service }] of contestants.entries()) {
      const times = service.processorTimes().map((time, k) => time - before[j]![k]!)
      const sum = times.reduce((total, time) => total + time, 0)
      const perSecond = (series: string) =>
        Math.round((questions * 1000) / median(outcome.series[series] ?? []))
      // What one process can do at most bounds what the service does.
      const busiest = Math.round((100 * Math.max(...times)) / sum)
      findings.push(
        `${name}, ${nameOf(processes)}: ${perSecond(costOf(processes))} requests by a second of a processor, ${perSecond(nameOf(processes))} a second; ${busiest} % in the busiest process`,
      )
    }
  }
  for (const { processes, service } of contestants) {
    const each = service.megabytes().map((amount) => amount.toFixed(0))
    const shared = service.sharedMegabytes().toFixed(0)
    findings.push(
      `${nameOf(processes)}: ${each.join(' + ')} MB resident, ${shared} MB where what they share counts once`,
    )
  }
  const larger = COUNTS.filter((count) => !measured.includes(count))
  findings.push(
    `not measured, since this machine has ${processors} processors: ${larger.join(', ')} processes`,
  )
  return { input: { connections: CONNECTIONS, answers }, contests, findings }
}

/** Milliseconds until all questions are answered, and of processor time of all processes. */
async function cost(
  service: ScaledService,
  { asks }: Workload,
  questions: number,
): Promise<{ readonly wall: number; readonly processor: number }> {
  const taken = () => service.processorTimes().reduce((sum, time) => sum + time, 0)
  const before = taken()
  const start = performance.now()
  let next = 0
  const one = async () => {
    while (next < questions) await asks[next++ % asks.length]!(service.address)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
  return { wall: performance.now() - start, processor: taken() - before }
}
