import { setImmediate } from 'node:timers/promises'
import type { Executor } from '../../shared/executor.ts'
import { boundedCost, layoutsOf, planningCost } from '../query/cost.ts'
import { evaluate, evaluateJob } from '../query/evaluate.ts'
import { keysOf } from '../query/keys.ts'
import type { Answer, Query } from '../query/query.ts'
import { countedCost } from '../query/selectivity.ts'
import { joinAnswers, splitQuery } from '../query/split.ts'
import { arraysOf } from '../release/arrays.ts'
import type { Release } from '../release/release.ts'

/** Less than half a millisecond: handing it to a thread takes most of that. */
export const INLINE_COST = 250_000

/** Elements visited that are worth a second thread. */
const SPLIT_COST = 1_000_000

/**
 * Answers a query on a release: at once when it is cheap, else in a thread, or in several when it
 * has facets to share out.
 * @throws EngineError bad_input for a query that would take too long; corrupt_source, busy
 */
export async function answerQuery(
  query: Query,
  release: Release,
  executor: Executor,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Answer> {
  const layouts = layoutsOf(release.manifest)
  const cost = boundedCost(query, layouts)
  const loaded = await release.load(keysOf(query), { signal })
  const arrays = arraysOf(loaded)
  // To count what a filter leaves is to plan it, which may take longer than all else.
  const isPlanned = planningCost(query.filter, layouts) < INLINE_COST
  if (isPlanned && (cost < INLINE_COST || countedCost(query, cost, arrays) < INLINE_COST)) {
    return evaluate(query, arrays)
  }
  // A filter of thousands of conditions was read just now, and is copied to a thread next.
  if (!isPlanned) await setImmediate()
  const run = (part: Query) => executor.run(evaluateJob, { query: part, loaded }, { signal })
  if (cost < SPLIT_COST) return run(query)
  const [first = query, ...others] = splitQuery(query, layouts, executor.parallelism)
  const running = [run(first), ...others.map(run)] as const
  // Whoever fails first waits for the others: they read arrays that the lease keeps in place.
  await Promise.allSettled(running)
  return joinAnswers(await Promise.all(running))
}
