import { BufferPool } from '../../../shared/concurrency/buffer-pool.ts'
import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { Warnings } from '../../../shared/input/warnings.ts'
import { boundedCost, withinLimit } from '../../query/cost.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { keysOf } from '../../query/keys.ts'
import type { Query } from '../../query/query.ts'
import type { Release } from '../../release/release.ts'
import { notBegun } from '../../search/body.ts'
import type { CurrentRelease } from '../../search/current-release.ts'
import { leasedAnswer, type SearchAnswer, type SearchRun } from '../../search/leased-answer.ts'
import { warnOfValues } from '../../search/value-warnings.ts'
import { chooseCurves, compareCurves } from './chosen-curves.ts'
import { type CurveFilters, readCurves } from './curves.ts'
import type { DonorTables } from './donor-tables.ts'
import type { SurvivalEndpoint } from './endpoint.ts'
import { CHUNK_BYTES, survivalBody } from './survival-body.ts'
import type { DonorStyle } from './write-donors.ts'

export interface SurvivalRequest extends CurveFilters, DonorStyle {
  /** Whether to describe each curve: donors, deaths, median, hazard ratio, and overlaps with other curves. */
  readonly comparison?: boolean | undefined
  /** Event that ends a time. By default `overall`: death. */
  readonly endpoint?: SurvivalEndpoint | undefined
}

/** Maximum number of curves of a comparison, as each hazard ratio is fitted together with all others. */
const MAX_COMPARED = 24

interface SurvivalContext {
  readonly current: CurrentRelease
  readonly executor: Executor
  readonly donors: DonorTables
  readonly turns?: LoopTurns | undefined
}

/** Maximum number of buffers kept for later responses. */
const MAX_CACHED = 16

/** Survival curves of the cases in the current release (data-commons-service.md 4.4, data-commons.md 6.8). */
export class Survival {
  readonly #context: SurvivalContext
  readonly #buffers = new BufferPool(CHUNK_BYTES, { most: MAX_CACHED })
  #answers = 0

  constructor(context: SurvivalContext) {
    this.#context = context
  }

  /**
   * Returns the Kaplan-Meier estimate for each filter, and the log-rank tests between them. Times are in days.
   * When the promise resolves, the request is valid and only the body remains to be sent.
   * @throws EngineError bad_input with the place of the error; too_many curves; unavailable without a release,
   *   busy, corrupt_source
   */
  async curves(request: SurvivalRequest, run: SearchRun = {}): Promise<SearchAnswer> {
    const filters = await readCurves(request, this.#context.turns)
    if (request.comparison && filters.length > MAX_COMPARED) {
      const message = `${filters.length} curves are requested with comparison; request at most ${MAX_COMPARED}`
      throw new EngineError('too_many', message, { at: 'filters' })
    }
    const { current } = this.#context
    const { warnings = new Warnings() } = run
    return leasedAnswer(current, 'application/json', run, async (release, signal) => {
      await warnOfValues(filters, release, warnings, { signal })
      return notBegun(await this.#body(release, { ...request, filters }, signal))
    })
  }

  async #body(
    release: Release,
    {
      filters,
      intervals,
      comparison,
      endpoint,
      pretty,
    }: Omit<SurvivalRequest, 'filters'> & { filters: readonly (Filter | undefined)[] },
    signal: AbortSignal,
  ) {
    const { executor } = this.#context
    const { datasets } = release.manifest
    const answer = `${release.id} survival ${this.#answers++}`
    const priced = filters.map((filter, i) => {
      return { key: `${answer} ${i}`, filter, cost: boundedCost(queryOf(filter), datasets) }
    })
    withinLimit(priced.reduce((sum, { cost }) => sum + cost, 0))
    const keys = new Set(filters.flatMap((filter) => keysOf(queryOf(filter))))
    const [table, loaded] = await Promise.all([
      this.#context.donors.of(release, endpoint),
      release.load(keys, { signal }),
    ])
    const context = { table, loaded, executor }
    const chosen = await chooseCurves({ key: answer, curves: priced }, context, signal)
    const statistics = (stop: AbortSignal) =>
      compareCurves(chosen, comparison ?? false, context, stop)
    const body = { ...context, curves: chosen.curves, intervals, pretty, statistics }
    return survivalBody(body, { executor, buffers: this.#buffers, signal })
  }
}

const queryOf = (filter: Filter | undefined): Query => ({
  dataset: 'cases',
  filter,
  facets: [],
  sort: [],
  from: 0,
  size: 0,
})
