import { setImmediate } from 'node:timers/promises'
import type { Executor } from '../../shared/executor.ts'
import { boundedCost, planningCost } from '../query/cost.ts'
import { evaluateJob, evaluatePlanned, planOf } from '../query/evaluate.ts'
import { layoutsOf } from '../query/field-cost.ts'
import { keysOf } from '../query/keys.ts'
import type { Answer, Query } from '../query/query.ts'
import { plannedCost } from '../query/selectivity.ts'
import { joinAnswers, splitQuery } from '../query/split.ts'
import { arraysOf } from '../release/arrays.ts'
import type { Release } from '../release/release.ts'
import type { AnswerCache, PreparedQuery } from './answer-cache.ts'

/**
 * Queries up to this estimated cost, in nanoseconds, run on the calling thread. Passing one to another thread
 * costs about as much.
 */
export const INLINE_COST = 250_000

/** Queries from this estimated cost, in nanoseconds, are divided between two threads. */
const SPLIT_COST = 1_000_000

interface AnswerOptions {
  /** Cache for later queries. Without it, nothing is cached. */
  readonly cache?: AnswerCache | undefined
  readonly signal?: AbortSignal | undefined
}

/** Returns the answer to a cheap query that has been prepared before, otherwise undefined. */
export function answerNow(query: Query, release: Release, cache: AnswerCache): Answer | undefined {
  const prepared = cache.preparedOf(query, release)
  if (!prepared?.plan || prepared.cost >= INLINE_COST) return undefined
  return evaluatePlanned(prepared.plan, prepared.arrays)
}

/**
 * Answers a query: on the calling thread if it is cheap, otherwise on a worker thread, or on several if its
 * facets can be divided.
 * @throws EngineError bad_input for a query that would take too long; corrupt_source, busy
 */
export async function answerQuery(
  query: Query,
  release: Release,
  executor: Executor,
  { cache, signal }: AnswerOptions = {},
): Promise<Answer> {
  const prepared =
    cache?.preparedOf(query, release) ??
    (await prepare(query, release, executor, { cache, signal }))
  const { loaded, arrays, joins, plan, cost } = prepared
  if (plan && cost < INLINE_COST) return evaluatePlanned(plan, arrays)
  // Yields to the event loop between parsing a large filter and copying it to a thread, both of which block.
  if (!plan) await setImmediate()
  const run = (part: Query) => executor.run(evaluateJob, { query: part, loaded, joins }, { signal })
  if (cost < SPLIT_COST) return run(query)
  const layouts = layoutsOf(release.manifest)
  const [first = query, ...others] = splitQuery(query, layouts, executor.parallelism)
  const running = [run(first), ...others.map(run)] as const
  // Waits for all parts even if one fails, because they read arrays that are freed after the call.
  await Promise.allSettled(running)
  return joinAnswers(await Promise.all(running))
}

/** Loads the arrays of a query, joins related fields, and plans it unless planning would be expensive. */
async function prepare(
  query: Query,
  release: Release,
  executor: Executor,
  { cache, signal }: AnswerOptions,
): Promise<PreparedQuery> {
  const layouts = layoutsOf(release.manifest)
  const cost = boundedCost(query, layouts)
  const loaded = await release.load(keysOf(query), { signal })
  const found = await cache?.joinedOf(release).of(query, { layouts, loaded, executor })
  const joins = found?.joins
  const arrays = arraysOf(loaded)
  // A plan gives a more exact cost, but making the plan may cost more than the rest of this function.
  const isPlanned = planningCost(query.filter, layouts) < INLINE_COST
  const plan = isPlanned ? planOf(query, arrays, joins) : undefined
  const counted = plan && cost >= INLINE_COST ? plannedCost(plan, layouts) : cost
  const prepared = { loaded, arrays, joins, plan, cost: counted }
  if (found?.isComplete) cache?.keep(query, prepared, release)
  return prepared
}
