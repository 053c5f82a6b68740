import type { BufferLease, BufferPool } from '../../../shared/concurrency/buffer-pool.ts'
import { leasedChunks } from '../../../shared/concurrency/leased-chunks.ts'
import type { Executor } from '../../../shared/executor.ts'
import type { LoadedArrays } from '../../release/loaded.ts'
import type { GroupComparison } from './compare-groups.ts'
import type { Curve } from './curve-members.ts'
import type { DonorTable } from './donor-table.ts'
import { indentJson } from './indent-json.ts'
import type { OverallStatistics } from './log-rank.ts'
import { type DonorStyle, type Extent, writeDonorsJob } from './write-donors.ts'

/** Number of donors per job, which writes about half a megabyte unless names are long. */
const CHUNK_DONORS = 3072
export const CHUNK_BYTES = 1 << 20
/** Maximum number of short curves per job. */
const CHUNK_CURVES = 64
/** Maximum number of concurrent chunks, whatever the number of threads. They take about 16 MiB. */
const MAX_AHEAD = 16

/** Job priority of all chunks after the first, so that small responses overtake large ones. */
const LATER_PRIORITY = 1

export interface CountedCurve extends Curve {
  readonly count: number
}

/** Statistics of all curves, after the last donors. */
export interface SurvivalStatistics {
  /** Undefined with fewer than two curves that have donors. */
  readonly overall?: OverallStatistics & TrueLogRank
  /** Undefined unless it was requested. */
  readonly comparison?: GroupComparison | undefined
}

/** The log-rank test with the hypergeometric variance. Null if groups overlap (data-commons.md 6.8). */
interface TrueLogRank {
  readonly logRankChiSquared: number | null
  readonly logRankDegreesFreedom: number | null
  readonly logRankPValue: number | null
}

interface SurvivalBody extends DonorStyle {
  readonly curves: readonly CountedCurve[]
  readonly table: DonorTable
  readonly loaded: LoadedArrays
  /** Returns the test statistics. Called once, while the last donors are being written. */
  readonly statistics: (signal: AbortSignal) => Promise<SurvivalStatistics>
}

interface BodyContext {
  readonly executor: Executor
  /** Buffers for chunks, each of `CHUNK_BYTES`. */
  readonly buffers: BufferPool
  readonly signal: AbortSignal
}

/**
 * Yields the response body (data-commons.md 6.8) in chunks, which several concurrent jobs make. The memory of a
 * chunk is reused when the next chunk is requested. Stops when the signal is aborted.
 */
export async function* survivalBody(
  body: SurvivalBody,
  { executor, buffers: pool, signal }: BodyContext,
): AsyncGenerator<Uint8Array, undefined> {
  const { table, loaded, pretty, intervals } = body
  const chunks = chunksOf(body.curves)
  let priority = 0
  let isOver = false
  const start = (stop: AbortSignal, buffers: BufferLease) => {
    const { value: extents } = chunks.next()
    if (!extents) {
      if (isOver) return undefined
      isOver = true
      return body.statistics(stop).then((statistics) => ({
        chunk: tailOf(statistics, pretty),
        target: undefined,
      }))
    }
    const target = buffers.take()
    const depth = depthBefore(extents[0])
    const input = { table, loaded, extents, depth, pretty, intervals, target }
    const run = executor.run(writeDonorsJob, input, { signal: stop, priority })
    priority = LATER_PRIORITY
    return run.then((written) => ({
      chunk: typeof written === 'number' ? target.subarray(0, written) : written,
      target,
    }))
  }
  const ahead = Math.min(executor.parallelism * 2, MAX_AHEAD)
  yield* leasedChunks(pool, start, { ahead, signal })
}

/** Yields ranges of donors of all curves in order, grouped into jobs. */
function* chunksOf(curves: readonly CountedCurve[]): Generator<readonly Extent[], undefined> {
  let chunk: Extent[] = []
  let donors = 0
  for (const [i, curve] of curves.entries()) {
    let from = 0
    do {
      const to = Math.min(from + CHUNK_DONORS - donors, curve.count)
      const before = from > 0 ? '' : headOf(i)
      chunk.push({ curve, before, from, to, after: to === curve.count ? ']}' : '' })
      donors += to - from
      from = to
      if (donors < CHUNK_DONORS && chunk.length < CHUNK_CURVES) continue
      yield chunk
      chunk = []
      donors = 0
    } while (from < curve.count)
  }
  if (chunk.length > 0) yield chunk
}

/** Returns the JSON before a curve's donors. The interface requires an id, any unique number. */
function headOf(curve: number): string {
  return `${curve === 0 ? '{"results":[' : ','}{"meta":{"id":${curve + 1}},"donors":[`
}

/** Returns the JSON nesting depth before a range: in a list of donors, or where a curve begins. */
function depthBefore(first: Extent | undefined): number {
  if (!first || first.before === '') return 4
  return first.before.startsWith(',') ? 2 : 0
}

function tailOf({ overall, comparison }: SurvivalStatistics, pretty: boolean): Uint8Array {
  const more = comparison ? `,"comparison":${JSON.stringify(comparison)}` : ''
  const text = Buffer.from(`],"overallStats":${JSON.stringify(overall ?? {})}${more}}`)
  return pretty ? indentJson(text, 2) : text
}
