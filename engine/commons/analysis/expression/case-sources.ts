import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import type { Warnings } from '../../../shared/input/warnings.ts'
import { resolveCaseCentric } from '../../datasets/case-gene.ts'
import { nearestOn } from '../../datasets/near-case-gene.ts'
import { readFilter } from '../../query/filter.ts'
import type { Filter } from '../../query/filter-tree.ts'
import type { Release } from '../../release/release.ts'
import { answerQuery } from '../../search/answer-query.ts'
import { warnOfValues } from '../../search/value-warnings.ts'

/** Ways to select cases in a request. At most one may be given (data-commons.md 6.2). */
export interface CaseSources {
  readonly caseIds?: readonly string[] | undefined
  /** Filter expression on cases. */
  readonly caseFilters?: unknown
  /** Id of a stored set of cases, with or without the prefix `set_id:`. */
  readonly caseSetId?: string | undefined
  readonly cohortId?: string | undefined
}

export interface GeneSources {
  readonly geneIds?: readonly string[] | undefined
  /** Id of a stored set of genes, with or without the prefix `set_id:`. */
  readonly geneSetId?: string | undefined
}

/**
 * Returns whether the request selects cases. An empty list counts as no selection.
 * @throws EngineError bad_input for several selections, and for a cohort id, which is not accepted
 */
export function hasCases({ caseIds, caseFilters, caseSetId, cohortId }: CaseSources): boolean {
  const given = [caseIds, caseFilters, caseSetId, cohortId].filter((one) => one !== undefined)
  if (given.length > 1) {
    const message = 'case_ids, case_set_id, cohort_id, and case_filters cannot be used together.'
    throw new EngineError('bad_input', message, { at: 'case_ids' })
  }
  if (cohortId !== undefined) {
    const message =
      'parameter cohort_id is not accepted; use case_filters with the filters of the cohort'
    throw new EngineError('bad_input', message, { at: 'cohort_id' })
  }
  return given.length > 0 && caseIds?.length !== 0
}

/**
 * Returns whether the request selects genes. An empty list selects none.
 * @throws EngineError bad_input for several sources
 */
export function hasGenes({ geneIds, geneSetId }: GeneSources): boolean {
  if (geneIds !== undefined && geneSetId !== undefined) {
    const message = 'gene_ids and gene_set_id cannot be used together.'
    throw new EngineError('bad_input', message, { at: 'gene_ids' })
  }
  return geneSetId !== undefined || (geneIds !== undefined && geneIds.length > 0)
}

interface FilterRun {
  readonly signal: AbortSignal
  readonly warnings: Warnings
  /** Name of the request parameter that holds the filter, for error messages. */
  readonly at?: string | undefined
  readonly turns?: LoopTurns | undefined
}

/**
 * Returns the rows of the cases that match a filter, ascending.
 * @throws EngineError bad_input with the place of the error; busy, corrupt_source
 */
export async function filteredCases(
  caseFilters: unknown,
  release: Release,
  executor: Executor,
  { signal, warnings, at = 'case_filters', turns }: FilterRun,
): Promise<Uint32Array> {
  const nearest = nearestOn('case', 'case')
  const reading = { records: 'cases', resolve: resolveCaseCentric, nearest, turns }
  const filter = await readFilter(caseFilters, reading, at)
  const rows = await casesOf(filter, release, executor, signal)
  await warnOfValues([filter], release, warnings, { signal })
  return rows
}

/** Returns the rows of the cases that match a filter that was read before, ascending. */
export async function casesOf(
  filter: Filter | undefined,
  release: Release,
  executor: Executor,
  signal: AbortSignal,
): Promise<Uint32Array> {
  const all = { facets: [], sort: [], from: 0, size: Number.MAX_SAFE_INTEGER }
  const query = { dataset: 'cases', filter, ...all } as const
  return (await answerQuery(query, release, executor, { signal })).rows
}
