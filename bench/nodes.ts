import type {
  Bench,
  BenchOptions,
  BenchOutcome,
  Comparison,
  Contender,
  ContestOutcome,
} from './bench.ts'
import type { Ask } from './nodes/ask.ts'
import { type MeasuredCluster, type MeasuredNode, startNodes } from './nodes/cluster.ts'
import { CALIBRATED, costsOf, LOADS, measure, simulated } from './nodes/loads.ts'
import { digestOf, sliceOf, type Workload, workloadsOf } from './nodes/workloads.ts'
import { holdContest } from './rounds.ts'

/** What more nodes cost: processor time of all nodes that are asked, for the same questions. */
export const nodes: Bench = {
  workloads: ['slices', 'search', 'tables', 'staging', 'loads'],
  run: runNodes,
}

const COUNTS = [1, 2, 3] as const
/** To each node: with half of them a node answers fewer at a time, which costs more for each. */
const CONNECTIONS = 8

const nameOf = (count: number) => (count === 1 ? '1 node' : `${count} nodes`)

async function runNodes({ quick, rounds, chosen, note }: BenchOptions): Promise<BenchOutcome> {
  note('starting PostgreSQL, a bucket and three nodes, and making a demo')
  await using cluster = await startNodes(COUNTS.length)
  const contests: ContestOutcome[] = []
  const answers: Record<string, string> = {}
  for (const each of workloadsOf(cluster.key).filter(({ name }) => chosen(name))) {
    const workload = quick ? { ...each, questions: each.questions / 10 } : each
    const digests = new Set<string>()
    for (const { address } of cluster.nodes) digests.add(await digestOf(workload, address))
    if (digests.size !== 1) throw new Error(`${workload.name}: nodes answer differently`)
    answers[workload.name] = [...digests].join()
    const contenders = COUNTS.map((count): Contender => {
      const asked = cluster.nodes.slice(0, count)
      return { turn: async () => ({ [nameOf(count)]: await cost(workload, asked) }) }
    })
    // All that is kept from request to request is there.
    for (const { turn } of contenders.toReversed()) await turn()
    const comparisons = COUNTS.slice(1).map(
      (count): Comparison => ({
        ours: nameOf(count),
        peer: nameOf(1),
        as: 'times as fast',
        target: { atLeast: 0.9 },
      }),
    )
    const contest = { workload: workload.name, unit: 'ms', contenders, comparisons } as const
    contests.push(await holdContest({ ...contest, rounds: rounds ?? (quick ? 2 : 9) }, note))
  }
  const findings: string[] = []
  if (chosen('loads')) {
    const slice = sliceOf()
    contests.push(await contestOfLoads(cluster, slice, { quick, rounds, note, findings }))
  }
  const held = cluster.nodes.map((node) => node.megabytes().toFixed(0)).join(' + ')
  return {
    input: { release: 'demo', connectionsToEach: CONNECTIONS, answers },
    contests,
    findings: [
      ...findings,
      'milliseconds of processor time of a node for its questions, with its threads; PostgreSQL, the bucket and who asks are not in it',
      `${held} MB resident`,
    ],
  }
}

interface LoadOptions extends Pick<BenchOptions, 'quick' | 'rounds' | 'note'> {
  readonly findings: string[]
}

/** How far a simulation may be from what it simulates. */
const AGREES = { within: 0.2 }

/** Durations and rates of small slices of one to three nodes, by loads, beside those of simulated nodes. */
async function contestOfLoads(
  { nodes: all }: MeasuredCluster,
  slice: Ask,
  { quick, rounds, note, findings }: LoadOptions,
): Promise<ContestOutcome> {
  const lasts = quick ? 1000 : 5000
  const [first] = all
  if (!first) throw new Error('there is no node')
  // All that is kept from request to request is there, and compiled.
  await measure(all, slice, 8, lasts)
  const costs = await costsOf(first, slice, lasts)
  const numbers = Object.entries(costs).map(([name, cost]) => `${name} ${cost.toPrecision(3)}`)
  findings.push(
    `costs of a slice, of one node by ${CALIBRATED.join(' and ')} clients: ${numbers.join(', ')}`,
  )
  const loads = COUNTS.flatMap((count) => LOADS.map((clients) => ({ count, clients })))
  const contenders = loads.map(({ count, clients }): Contender => {
    const name = `${nameOf(count)}, ${clients} clients`
    const foretold = simulated(costs, count, clients)
    return {
      turn: async () => {
        const { p50, p95, each } = await measure(all.slice(0, count), slice, clients, lasts)
        return {
          [`${name}: p50`]: p50,
          [`${name}: p95`]: p95,
          [`${name}: each`]: each,
          [`${name}: simulated p50`]: foretold.p50,
          [`${name}: simulated p95`]: foretold.p95,
          [`${name}: simulated each`]: foretold.each,
        }
      },
    }
  })
  const comparisons = loads.flatMap(({ count, clients }) =>
    ['p50', 'p95', 'each'].map((which): Comparison => {
      const name = `${nameOf(count)}, ${clients} clients`
      const [ours, peer] = [`${name}: simulated ${which}`, `${name}: ${which}`]
      return { ours, peer, as: 'times as long', target: AGREES }
    }),
  )
  const contest = { workload: 'loads', unit: 'ms', contenders, comparisons } as const
  return holdContest({ ...contest, rounds: rounds ?? (quick ? 1 : 5) }, note)
}

/** Asks all nodes alike; milliseconds of processor time that a node took for its questions. */
async function cost({ questions, asks }: Workload, asked: readonly MeasuredNode[]) {
  const taken = () => asked.reduce((sum, node) => sum + node.processorTime(), 0)
  const before = taken()
  let next = 0
  const one = async () => {
    while (next < questions * asked.length) {
      const number = next++
      const node = asked[number % asked.length]
      if (node) await asks[Math.floor(number / asked.length) % asks.length]?.(node.address)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS * asked.length }, one))
  return (taken() - before) / asked.length
}
