import type { Executor } from '../executor.ts'
import { costOf } from '../query/cost.ts'
import { evaluate, evaluateJob } from '../query/evaluate.ts'
import { keysOf } from '../query/keys.ts'
import type { Answer, Query } from '../query/query.ts'
import { splitQuery } from '../query/split.ts'
import { arraysOf } from '../release/arrays.ts'
import type { Release } from '../release/release.ts'

/** About a tenth of a millisecond: what is less takes longer to hand to a thread than to do. */
const INLINE_COST = 100_000

/** Elements visited that are worth a second thread. */
const SPLIT_COST = 1_000_000

/**
 * Answers a query on a release: at once when it is cheap, else in a thread, or in several when it
 * has facets to share out.
 * @throws EngineError corrupt_source, busy
 */
export async function answerQuery(
  query: Query,
  release: Release,
  executor: Executor,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Answer> {
  const loaded = await release.load(keysOf(query), { signal })
  const { datasets } = release.manifest
  const cost = costOf(query, datasets)
  if (cost < INLINE_COST) return evaluate(query, arraysOf(loaded))
  const parts = cost < SPLIT_COST ? [query] : splitQuery(query, datasets, executor.parallelism)
  const answers = await Promise.all(
    parts.map((part) => executor.run(evaluateJob, { query: part, loaded }, { signal })),
  )
  return joinAnswers(answers)
}

/**
 * The first part has the page. The objects with the facets are joined as text, `{…` and `,…}`: a
 * facet of ids can have a million buckets, which this thread should not go through.
 */
function joinAnswers(answers: readonly Answer[]): Answer {
  const [first = { total: 0, rows: new Uint32Array(0) }, ...more] = answers
  if (more.length === 0) return first
  const objects = answers.flatMap(({ aggregations }) => (aggregations ? [aggregations] : []))
  const members = objects.flatMap((object, i) => [i === 0 ? OPEN : COMMA, object.subarray(1, -1)])
  return { ...first, aggregations: Buffer.concat([...members, CLOSE]) }
}

const OPEN = Buffer.from('{')
const COMMA = Buffer.from(',')
const CLOSE = Buffer.from('}')
