import type { CompiledVersion } from '../../../engine/registry/staging/algorithm/compiled-version.ts'
import { stage } from '../../../engine/registry/staging/algorithm/stage.ts'
import type { Contest } from '../../bench.ts'
import { HttpConnection } from '../../commons/search/http-connection.ts'
import type { Service } from '../../commons/search/service.ts'
import { quantile } from '../../rounds.ts'
import { sendBatch } from './batch.ts'
import { type AlgorithmName, type Cases, PATHS } from './input.ts'
import type { NaiveVersion } from './naive.ts'
import { ownProcessorTime, processorTime } from './processor-time.ts'
import { piecesOf, stageText } from './text.ts'
import type { TextThreads } from './text-threads.ts'

/** All that the contests of one algorithm need. */
export interface Stage {
  readonly cases: Cases
  /** The cases of a turn as lines. */
  readonly lines: string
  readonly compiled: CompiledVersion
  readonly naive: NaiveVersion
  readonly threads: TextThreads
  readonly service: Service
  readonly key: string
  /** A file with the lines. */
  readonly path: string
  readonly rounds: (usual: number) => number
}

export const MAPS = 'parsed maps'
export const TEXT = 'text in, text out'
export const ROW_SCAN = 'row scan'
export const THREADED = 'text, 2 threads'
export const BATCH = 'batch over HTTP'

/** Times as fast as the row scan. */
const TARGETS: Readonly<Record<AlgorithmName, number>> = { cs: 10, eod: 13 }
const OVER_HTTP = 0.7

/** Calls of a turn. */
const SINGLE_CALLS = 500
const CONNECTIONS = 16

/** Processor time of one thread and what V8 does for it behind. */
export function inProcessContest({ cases, lines, compiled, naive, rounds }: Stage): Contest {
  const { algorithm, recorded, times } = cases
  const inputs = recorded.map(({ input }) => input)
  const pieces = piecesOf(Buffer.from(lines))
  const stageAll = (stageOne: (input: (typeof inputs)[number]) => unknown) => () => {
    for (let i = 0; i < times; i++) for (const input of inputs) stageOne(input)
  }
  const turn = (name: string, work: () => void) => ({
    turn: async () => ({ [name]: await ownProcessorTime(work) }),
  })
  return {
    workload: algorithm,
    unit: 'ms',
    rounds: rounds(5),
    contenders: [
      turn(
        MAPS,
        stageAll((input) => stage(compiled, input)),
      ),
      turn(TEXT, () => {
        for (const piece of pieces) stageText(piece, compiled)
      }),
      turn(
        ROW_SCAN,
        stageAll((input) => naive.stage(input)),
      ),
    ],
    comparisons: [
      { ours: MAPS, peer: ROW_SCAN, target: { atLeast: TARGETS[algorithm] } },
      { ours: TEXT, peer: ROW_SCAN },
    ],
  }
}

/** One case per request: one after another over one connection, and over sixteen at once. */
export function singleContest({ cases, key, service, rounds }: Stage): Contest {
  const { algorithm, recorded } = cases
  const calls = recorded.slice(0, SINGLE_CALLS).map(({ input }) => callOf(algorithm, key, input))
  return {
    workload: `${algorithm}-single`,
    unit: 'ms',
    rounds: rounds(9),
    contenders: [
      {
        turn: async () => {
          const took = await askAll(service, calls)
          return { 'median call': quantile(took, 0.5), '95th percentile': quantile(took, 0.95) }
        },
      },
      {
        turn: async () => {
          const start = performance.now()
          await Promise.all(
            Array.from({ length: CONNECTIONS }, (_, at) =>
              askAll(
                service,
                calls.filter((_, i) => i % CONNECTIONS === at),
              ),
            ),
          )
          return { 'per call, 16 at once': (performance.now() - start) / calls.length }
        },
      },
    ],
    comparisons: [
      { ours: 'median call' },
      { ours: '95th percentile' },
      { ours: 'per call, 16 at once' },
    ],
  }
}

/** The bytes of a request that stages one case. */
export function callOf(algorithm: AlgorithmName, key: string, input: unknown): Buffer {
  const body = JSON.stringify(input)
  const head = [
    `POST ${PATHS[algorithm]}/stage HTTP/1.1`,
    ...['Host: casemill', `X-SEERAPI-Key: ${key}`, 'Content-Type: application/json'],
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** What each call took, in milliseconds. */
async function askAll({ address }: Service, calls: readonly Buffer[]): Promise<number[]> {
  const connection = await HttpConnection.open(address)
  const took: number[] = []
  try {
    for (const call of calls) {
      const start = performance.now()
      await connection.ask(call)
      took.push(performance.now() - start)
    }
  } finally {
    connection.close()
  }
  return took
}

/** All cases in one request, beside two threads that do nothing but stage; and what both use. */
export function batchContest({ cases, path, key, service, threads, rounds }: Stage): Contest {
  const { algorithm } = cases
  const order = { address: service.address, key, algorithm, cases: path }
  const used = (name: string) => `${name}, processors`
  return {
    workload: `${algorithm}-batch`,
    unit: 'ms',
    rounds: rounds(7),
    contenders: [
      {
        turn: async () => {
          const before = processorTime(service.pid)
          const took = await sendBatch(order, '/dev/null')
          return { [BATCH]: took, [used(BATCH)]: processorTime(service.pid) - before }
        },
      },
      {
        turn: async () => {
          const start = performance.now()
          const processors = await ownProcessorTime(() => threads.run())
          return { [THREADED]: performance.now() - start, [used(THREADED)]: processors }
        },
      },
    ],
    comparisons: [
      { ours: BATCH, peer: THREADED, target: { atLeast: OVER_HTTP } },
      { ours: used(BATCH), peer: used(THREADED) },
    ],
  }
}
