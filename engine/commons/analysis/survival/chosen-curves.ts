import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { Executor } from '../../../shared/executor.ts'
import type { LoadedArrays } from '../../release/loaded.ts'
import { type ComparedGroups, compareGroupsJob } from './compare-groups.ts'
import type { Curve } from './curve-members.ts'
import type { DonorTable } from './donor-table.ts'
import { type GroupDeaths, logRank } from './log-rank.ts'
import { compareCurvesJob, type SelectedCurves, selectCurvesJob } from './select-curves.ts'
import type { CountedCurve, SurvivalStatistics } from './survival-body.ts'

interface PricedCurve extends Curve {
  readonly cost: number
}

interface CurveContext {
  readonly table: DonorTable
  readonly loaded: LoadedArrays
  readonly executor: Executor
}

/**
 * Estimated cost of one job. A response is split into about `jobs` jobs, but none cheaper than `least`, which
 * takes a fraction of a millisecond, or more expensive than `most`. The last job may be cheaper.
 */
const JOB_COST = { least: 150_000, most: 2_500_000, jobs: 16 }
/** Estimated cost per donor in the table of finding and visiting the donors of a curve. */
const DONOR_COST = 2
/** Memory in bytes for the donors of curves. Donors that do not fit are selected again when needed. */
const CACHED_BYTES = 16 << 20

/** Maximum relative rounding error of a sum of many terms. */
const MAX_ROUNDING = 1e-6

interface ChosenCurves {
  /** Cache key of the response, unique within this release and process. */
  readonly key: string
  readonly curves: readonly CountedCurve[]
  /** Number of curves that include each donor of the table. */
  readonly weights: Uint32Array
}

/**
 * Selects the donors of all curves of a response, in jobs. Curves keep their donors as bitmaps while all bitmaps
 * fit in CACHED_BYTES. Other curves keep their filter, and later jobs select their donors again.
 */
export async function chooseCurves(
  {
    key: answer,
    curves: priced,
  }: { readonly key: string; readonly curves: readonly PricedCurve[] },
  context: CurveContext,
  signal: AbortSignal,
): Promise<ChosenCurves> {
  const { table, loaded, executor } = context
  const weights = new Uint32Array(table.rows.length)
  const curves: CountedCurve[] = []
  let freeBytes = CACHED_BYTES
  const batches = batchesOf(priced, ({ cost }) => cost + DONOR_COST * table.rows.length)
  const start = (stop: AbortSignal) => {
    const { value: batch } = batches.next()
    if (!batch) return undefined
    const input = { table, loaded, curves: batch }
    const run = executor.run(selectCurvesJob, input, { signal: stop })
    return run.then((selected) => ({ batch, selected }))
  }
  for await (const { batch, selected } of inOrder(start, aheadOf(executor, signal))) {
    for (const [i, { key, filter }] of batch.entries()) {
      const donors = selected.donors[i]
      freeBytes -= donors?.byteLength ?? 0
      // A curve whose donors are known needs no filter. A filter may be long and would be copied to each job.
      const chosen = freeBytes >= 0 ? { donors, filter: undefined } : { filter }
      curves.push({ key, count: selected.counts[i] ?? 0, ...chosen })
    }
    addTo(weights, selected)
  }
  return { key: answer, curves, weights }
}

function addTo(sums: Uint32Array, { weights }: SelectedCurves): void {
  for (let i = 0; i < sums.length; i++) sums[i] = sums[i]! + weights[i]!
}

/**
 * Compares the curves of a response. A curve without donors is not a group and adds no degree of freedom; with
 * fewer than two groups, there is no overall test.
 * @param isDetailed whether to describe each curve and to estimate hazard ratios
 */
export async function compareCurves(
  chosen: ChosenCurves,
  isDetailed: boolean,
  context: CurveContext,
  signal: AbortSignal,
): Promise<SurvivalStatistics> {
  const groups = chosen.curves.filter(({ count }) => count > 0)
  if (groups.length < 2 && !isDetailed) return {}
  const [deaths, { logRank: test, comparison }] = await Promise.all([
    groups.length < 2 ? undefined : countDeaths(groups, chosen, context, signal),
    compareGroups(chosen, isDetailed, context, signal),
  ])
  if (!deaths) return { comparison }
  const overall = {
    ...logRank(deaths),
    logRankChiSquared: test?.chiSquared ?? null,
    logRankDegreesFreedom: test?.degreesFreedom ?? null,
    logRankPValue: test?.pValue ?? null,
  }
  return { overall, comparison }
}

function compareGroups(
  { curves }: ChosenCurves,
  isDetailed: boolean,
  { table, loaded, executor }: CurveContext,
  signal: AbortSignal,
): Promise<ComparedGroups> {
  return executor.run(compareGroupsJob, { table, loaded, curves, isDetailed }, { signal })
}

/** Counts the observed and expected deaths of each group. */
async function countDeaths(
  groups: readonly CountedCurve[],
  { key, weights }: ChosenCurves,
  { table, loaded, executor }: CurveContext,
  signal: AbortSignal,
): Promise<readonly GroupDeaths[]> {
  const batches = batchesOf(groups, () => DONOR_COST * table.rows.length)
  const start = (stop: AbortSignal) => {
    const { value: batch } = batches.next()
    if (!batch) return undefined
    const input = { table, loaded, curves: batch, weights, key: `${key} hazards` }
    return executor.run(compareCurvesJob, input, { signal: stop })
  }
  const deaths: GroupDeaths[] = []
  for await (const some of inOrder(start, aheadOf(executor, signal))) deaths.push(...some)
  requireEqualSums(deaths)
  return deaths
}

/**
 * Checks that the expected deaths of all groups add up to the observed deaths. Otherwise the donors of a group
 * differ from those for which the weights were counted, and the statistic would be wrong.
 */
function requireEqualSums(groups: readonly GroupDeaths[]): void {
  const observed = groups.reduce((sum, group) => sum + group.observed, 0)
  const expected = groups.reduce((sum, group) => sum + group.expected, 0)
  if (Math.abs(observed - expected) <= MAX_ROUNDING * observed) return
  throw new Error(`curves have ${observed} deaths, and ${expected} are expected of them`)
}

const aheadOf = ({ parallelism }: Executor, signal: AbortSignal) => ({
  ahead: parallelism + 1,
  signal,
})

/** Yields batches of adjacent items, each with enough estimated cost for a job. */
function* batchesOf<T>(all: readonly T[], costOf: (one: T) => number): Generator<readonly T[]> {
  const share = all.reduce((sum, one) => sum + costOf(one), 0) / JOB_COST.jobs
  const enough = Math.min(Math.max(share, JOB_COST.least), JOB_COST.most)
  let batch: T[] = []
  let cost = 0
  for (const one of all) {
    batch.push(one)
    cost += costOf(one)
    if (cost < enough) continue
    yield batch
    batch = []
    cost = 0
  }
  if (batch.length > 0) yield batch
}
