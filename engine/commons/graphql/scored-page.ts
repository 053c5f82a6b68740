import type { Job } from '../../shared/executor.ts'
import { keysOfTop, scoresOf, type TopQuery } from '../analysis/mutation-counts/top.ts'
import type { Filter } from '../query/filter-tree.ts'
import { countCodes } from '../query/histogram.ts'
import { keysOfFilter } from '../query/keys.ts'
import type { Answer } from '../query/query.ts'
import { selectRows } from '../query/select.ts'
import { rowsOf } from '../query/selection.ts'
import { arraysOf } from '../release/arrays.ts'
import { linkKey } from '../release/layout.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../release/loaded.ts'

/** Query for records by score: the number of cases of a gene, or of occurrences of a mutation. */
export interface ScoredQuery {
  readonly filter: Filter | undefined
  readonly score: Score
  /** Whether records with high scores come first. */
  readonly descending: boolean
  readonly from: number
  readonly size: number
}

type Score =
  | { readonly dataset: 'genes'; readonly pairs: TopQuery }
  | { readonly dataset: 'ssms'; readonly occurrences: Filter | undefined }

export interface ScoredPage extends Pick<Answer, 'total' | 'rows'> {
  /** Score of each row. */
  readonly scores: Uint32Array
}

interface ScoredInput {
  readonly query: ScoredQuery
  readonly loaded: LoadedArrays
}

export const scoredPageJob: Job<ScoredInput, ScoredPage> = {
  name: 'search-graph.scored',
  run: ({ query, loaded }) => scoredPage(query, arraysOf(loaded)),
  transfer: ({ rows, scores }) => [rows.buffer as ArrayBuffer, scores.buffer as ArrayBuffer],
}

/** Returns the keys of all arrays that the query may read, so that they can be loaded. */
export function keysOfScored({ filter, score }: ScoredQuery): readonly ArrayKey[] {
  const own = keysOfFilter(filter)
  if (score.dataset === 'genes') return [...new Set([...own, ...keysOfTop(score.pairs)])]
  const link = linkKey('ssm_occurrences', 'ssm')
  return [...new Set([...own, ...keysOfFilter(score.occurrences), link])]
}

/**
 * Returns a page of records by score. Matching records with score 0 are neither listed nor counted (portal.md
 * 3.5). For genes, these are the ones that are changed only in copy number. Records with equal scores are in the
 * order of their ids, as in lists of top genes.
 */
function scoredPage(query: ScoredQuery, arrays: ReleaseArrays): ScoredPage {
  const { filter, score, descending, from, size } = query
  const { rows: selected } = selectRows(score.dataset, filter, [], arrays)
  const scores = scoresBy(score, arrays)
  const rows = rowsOf(selected)
  let most = 0
  for (let i = 0; i < rows.length; i++) most = Math.max(most, scores[rows[i]!] ?? 0)
  // For sorting, score and row are combined in one double, which is precise enough for both.
  const places = new Float64Array(rows.length)
  let total = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const own = scores[row] ?? 0
    if (own > 0) places[total++] = (descending ? most - own : own) * selected.size + row
  }
  const page = places
    .subarray(0, total)
    .sort()
    .subarray(from, from + size)
  const found = Uint32Array.from(page, (place) => place % selected.size)
  return { total, rows: found, scores: found.map((row) => scores[row] ?? 0) }
}

function scoresBy(score: Score, arrays: ReleaseArrays): Uint32Array {
  if (score.dataset === 'genes') return scoresOf(score.pairs, arrays)
  const link = arrays.link('ssm_occurrences', 'ssm')
  if (!link) return new Uint32Array(0)
  const { bits } = selectRows('ssm_occurrences', score.occurrences, [], arrays).rows
  return countCodes({ codes: link.targets }, bits, arrays.rows('ssms')).subarray(1)
}
