import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Executor } from '../../shared/executor.ts'
import { datasetOf } from '../datasets/index.ts'
import { createResolver } from '../datasets/resolver.ts'
import type { Query } from '../query/query.ts'
import type { Release } from '../release/release.ts'
import { answerQuery } from '../search/answer-query.ts'
import { readRecordFilter } from '../search/record-filter.ts'

export interface FoundRowsRun {
  readonly executor: Executor
  readonly turns: LoopTurns
  readonly signal?: AbortSignal | undefined
}

/**
 * Returns the first rows of the files dataset that have these values.
 * @throws EngineError corrupt_source if the release is damaged, busy if too many jobs are waiting
 */
export async function rowsOfFiles(
  values: Readonly<Record<string, string>>,
  most: number,
  release: Release,
  { executor, turns, signal }: FoundRowsRun,
): Promise<Uint32Array> {
  const conditions = Object.entries(values).map(([field, value]) => ({
    op: '=',
    content: { field, value },
  }))
  const filters = { op: 'and', content: conditions }
  const resolver = createResolver(datasetOf('files'))
  const filter = await readRecordFilter('files', { filters }, resolver, { turns })
  const page = { from: 0, size: most }
  const query: Query = { dataset: 'files', filter, facets: [], sort: [], ...page }
  return (await answerQuery(query, release, executor, { signal })).rows
}
