import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { type Costs, type Setting, SMALL_CLUSTER, simulate } from '../simulation.ts'
import type { Ask } from './ask.ts'
import type { MeasuredNode } from './cluster.ts'

/** How long slices took, of clients that each ask again when they are answered. */
interface Durations {
  readonly p50: number
  readonly p95: number
  /** Milliseconds for each slice of all clients together: 1000 divided by the slices of a second. */
  readonly each: number
}

/** Clients for whom the durations of real nodes and of simulated ones are compared. */
export const LOADS = [2, 6, 24] as const

/**
 * Clients by whom costs are found: of one, a node always wakes up first; of many, it is never idle. Neither is one of
 * LOADS.
 */
export const CALIBRATED = [1, 12] as const

/** The 95th percentile of a normal distribution, in standard deviations. */
const P95 = 1.645
/** Ticks of a processor's time, of which the system counts. */
const TICK_MS = 10

/** Asks the nodes in turn by so many clients, for so long. */
export async function measure(
  nodes: readonly MeasuredNode[],
  ask: Ask,
  clients: number,
  milliseconds: number,
): Promise<Durations & { readonly count: number }> {
  const durations: number[] = []
  const end = performance.now() + milliseconds
  const client = async (number: number) => {
    for (let i = number; performance.now() < end; i++) {
      const node = nodes[i % nodes.length]
      const start = performance.now()
      if (node) await ask(node.address)
      durations.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, i) => client(i)))
  const sorted = durations.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
  const each = milliseconds / sorted.length
  return { p50: at(0.5), p95: at(0.95), each, count: sorted.length }
}

/**
 * Measures what a slice costs one node: processor time when it is busy, how much more when it has to wake up for
 * each, and the rest of what one client waits. All else that simulate says follows from it.
 */
export async function costsOf(node: MeasuredNode, ask: Ask, milliseconds: number): Promise<Costs> {
  const [alone, many] = CALIBRATED
  const idle = await costOf(node, ask, { clients: alone, milliseconds })
  const busy = await costOf(node, ask, { clients: many, milliseconds })
  const { p50, p95 } = idle
  const spread = Math.log(p95 / p50) / P95
  const mean = p50 * Math.exp((spread * spread) / 2)
  return {
    ...SMALL_CLUSTER.costs,
    main: busy.main,
    wake: Math.max(0, idle.main - busy.main),
    edge: busy.edge,
    client: busy.client,
    latency: Math.max(0, mean - idle.main - idle.edge - idle.client),
    spread,
  }
}

/** Processor time of one slice: of the node's main thread, of its other threads, and of who asks. */
async function costOf(
  node: MeasuredNode,
  ask: Ask,
  { clients, milliseconds }: { readonly clients: number; readonly milliseconds: number },
) {
  const before = { main: mainThread(node.pid), all: node.processorTime(), own: process.cpuUsage() }
  const { p50, p95, count } = await measure([node], ask, clients, milliseconds)
  const own = process.cpuUsage(before.own)
  const main = (mainThread(node.pid) - before.main) / count
  const edge = Math.max(0, (node.processorTime() - before.all) / count - main)
  return { p50, p95, main, edge, client: (own.user + own.system) / 1000 / count }
}

/** The same load on simulated nodes of this machine. */
export function simulated(costs: Costs, nodes: number, clients: number): Durations {
  const setting: Setting = {
    ...SMALL_CLUSTER,
    nodes,
    clients,
    costs,
    cores: availableParallelism(),
    onOneMachine: true,
    threads: 1,
    bytes: { median: 1000, spread: 0 },
    clientBytesPerMs: Number.POSITIVE_INFINITY,
    database: { ...SMALL_CLUSTER.database, hits: 1 },
    bucket: {
      firstByteMs: 0,
      bytesPerMs: Number.POSITIVE_INFINITY,
      totalBytesPerMs: Number.POSITIVE_INFINITY,
    },
    warmMs: 2000,
    lastsMs: 20_000,
  }
  const { p50, p95, perSecond } = simulate(setting)
  return { p50, p95, each: 1000 / perSecond }
}

/** Milliseconds of processor time of a process's first thread. */
function mainThread(pid: number): number {
  const text = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8')
  // After the name in parentheses: state is the first, user and system time are the 12th and 13th.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
