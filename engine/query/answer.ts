import { EngineError } from '../errors.ts'
import type { Executor } from '../executor.ts'
import { arraysOf } from '../release/arrays.ts'
import type { ArrayKey, LoadedArrays } from '../release/loaded.ts'
import { costOf, type Layouts } from './cost.ts'
import { evaluate, evaluateJob } from './evaluate.ts'
import { keysOf } from './keys.ts'
import type { Answer, Query } from './query.ts'
import { joinAnswers, splitQuery } from './split.ts'

/** In element visits, each about a nanosecond. */
export const QUERY_COSTS = Object.freeze({
  /** Up to that a query is answered on the calling thread. */
  inline: 100_000,
  /** From that on its facets are counted in several threads. */
  split: 2_000_000,
  /** Beyond it is refused (contract 11.8): no query may hold a thread for long. */
  most: 1_000_000_000,
})

/** What answering needs of an open release. */
export interface QueryRelease {
  readonly layouts: Layouts
  load(
    keys: Iterable<ArrayKey>,
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<LoadedArrays>
}

/**
 * Answers a query where it is fastest: at once, in one thread or in several.
 * @throws EngineError bad_input when it costs more than the limit; busy; what loading throws
 */
export async function answerQuery(
  query: Query,
  release: QueryRelease,
  { executor, signal }: { readonly executor: Executor; readonly signal?: AbortSignal | undefined },
): Promise<Answer> {
  const cost = costOf(query, release.layouts)
  if (cost > QUERY_COSTS.most) {
    throw new EngineError(
      'bad_input',
      `the query would visit about ${cost} values; the limit is ${QUERY_COSTS.most}`,
      { at: 'filters' },
    )
  }
  const loaded = await release.load(keysOf(query), { signal })
  if (cost <= QUERY_COSTS.inline) return evaluate(query, arraysOf(loaded))
  const threads = cost < QUERY_COSTS.split ? 1 : executor.parallelism
  const [first, ...others] = splitQuery(query, release.layouts, threads).map((part) =>
    executor.run(evaluateJob, { query: part, loaded }, { signal }),
  ) as [Promise<Answer>, ...Promise<Answer>[]]
  return joinAnswers(await Promise.all([first, ...others]))
}
