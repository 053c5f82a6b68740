import { localAlignment } from '../../../engine/commons/slicing/parts.ts'
import { DEFAULT_LIMITS, Slicer } from '../../../engine/commons/slicing/slicer.ts'
import { atOnce } from '../../../engine/shared/concurrency/at-once.ts'
import { mergeIntervals, type NamedInterval } from '../../../engine/shared/input/region.ts'
import type { ByteStream } from '../../../engine/shared/streams/byte-stream.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import type { Comparison, Contender, Contest } from '../../bench.ts'
import { median } from '../../rounds.ts'
import type { Home } from '../slicing/input.ts'
import { type How, THREADS } from '../slicing/ours.ts'

type Intervals = readonly NamedInterval[]

const HOWS = { directory: '', index: ', BAI only' } as const satisfies Record<How, string>

/**
 * What it costs that a slice has a length: all of its edges are made before its first byte. Beside it
 * stands the same slice without one; both in this process.
 */
export async function withFirstBytes<Result>(
  { paths }: Home,
  use: (
    contest: (workload: string, requests: readonly Intervals[], rounds: number) => Contest,
  ) => Promise<Result>,
): Promise<Result> {
  const pool = new ThreadPool({ threads: THREADS })
  const slicer = new Slicer(pool, DEFAULT_LIMITS)
  const parts = (how: How) => {
    const { directoryPath, ...bare } = paths
    return localAlignment(how === 'directory' ? paths : bare)
  }
  const opens = {
    planned: async (how: How, intervals: Intervals) =>
      (await slicer.plan(parts(how), selecting(intervals), { locate: how })).open(),
    streamed: (how: How, intervals: Intervals) =>
      slicer.slice(parts(how), selecting(intervals), { locate: how }),
  }
  try {
    return await use((workload, requests, rounds) => {
      const turn = (way: keyof typeof opens, how: How): Contender => ({
        turn: async () => {
          const times: Times[] = []
          for (const intervals of requests) {
            times.push(await timesOf(() => opens[way](how, intervals)))
          }
          return {
            [`${way}${HOWS[how]}`]: median(times.map(({ first }) => first)),
            [`${way}${HOWS[how]}, last byte`]: median(times.map(({ last }) => last)),
          }
        },
      })
      const compare = (what: string): Comparison => ({
        ours: `planned${what}`,
        peer: `streamed${what}`,
        as: 'times as long',
      })
      return {
        workload,
        unit: 'ms',
        rounds,
        contenders: [
          ...[turn('planned', 'directory'), turn('streamed', 'directory')],
          ...[turn('planned', 'index'), turn('streamed', 'index')],
        ],
        comparisons: Object.values(HOWS).flatMap((how) => [
          compare(how),
          compare(`${how}, last byte`),
        ]),
      }
    })
  } finally {
    await slicer.close()
    await pool.close()
  }
}

const selecting =
  (intervals: Intervals) =>
  ({ numberOf }: { readonly numberOf: ReadonlyMap<string, number> }) => {
    return { intervals: atOnce(mergeIntervals(intervals, numberOf)), unplaced: false }
  }

interface Times {
  readonly first: number
  readonly last: number
}

async function timesOf(open: () => Promise<ByteStream>): Promise<Times> {
  const start = performance.now()
  await using stream = await open()
  let first = 0
  for await (const _ of stream.body) first ||= performance.now() - start
  return { first, last: performance.now() - start }
}
