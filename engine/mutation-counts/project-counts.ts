import type { Job } from '../executor.ts'
import { hasBit } from '../query/bitset.ts'
import type { Filter } from '../query/filter.ts'
import { keysOfFilter } from '../query/keys.ts'
import { scan } from '../query/scan.ts'
import { selectRows } from '../query/select.ts'
import { arraysOf } from '../release/arrays.ts'
import { bitmapsKey, columnKey, levelKey, linkKey } from '../release/layout.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../release/loaded.ts'
import { frameOf } from './frame.ts'
import { type ProjectCounts, projectsOf } from './projects.ts'

/** How many cases have data on mutations, of those that pass. */
export interface ProjectCountsQuery {
  /** On cases. */
  readonly cases?: Filter | undefined
}

const AVAILABLE = 'available_variation_data'
const CATEGORIES = 'summary.data_categories'

/** Names of all arrays that a query may look at. */
export function keysOfProjectCounts({ cases }: ProjectCountsQuery): readonly ArrayKey[] {
  return [
    ...keysOfFilter(cases),
    columnKey('cases', AVAILABLE),
    bitmapsKey('cases', AVAILABLE),
    levelKey('cases', CATEGORIES),
    linkKey('cases', 'project'),
    columnKey('projects', 'project_id'),
  ]
}

/** Counts cases by project (contract 6.7). */
export function countByProject(
  { cases }: ProjectCountsQuery,
  arrays: ReleaseArrays,
): ProjectCounts {
  const selected = selectRows('cases', cases, [], arrays).rows
  const projects = projectsOf(arrays)
  const available = arrays.column('cases', AVAILABLE)
  const code = available?.dictionary.find('ssm') ?? 0
  const mutated =
    available && code > 0 ? scan(available, [code, code + 1], selected.size) : undefined
  const level = arrays.level('cases', CATEGORIES)
  const sums = {
    cases: new Uint32Array(projects.size + 1),
    categories: new Uint32Array(projects.size + 1),
    mutated: new Uint32Array(projects.size + 1),
  }
  for (let row = 0; row < selected.size; row++) {
    if (selected.bits && !hasBit(selected.bits, row)) continue
    const project = projects.of(row)
    const categories = level
      ? (level.offsets[row + 1] as number) - (level.offsets[row] as number)
      : 0
    sums.cases[project] = (sums.cases[project] as number) + 1
    sums.categories[project] = (sums.categories[project] as number) + categories
    if (mutated && hasBit(mutated, row)) {
      sums.mutated[project] = (sums.mutated[project] as number) + 1
    }
  }
  return {
    total: selected.count,
    buckets: projects.buckets(sums.cases, (project) => ({
      case_summary: {
        doc_count: sums.categories[project],
        case_with_ssm: { doc_count: sums.mutated[project] },
      },
    })),
  }
}

export interface ProjectCountsInput {
  readonly query: ProjectCountsQuery
  readonly loaded: LoadedArrays
  readonly pretty: boolean
}

export const projectCountsJob: Job<ProjectCountsInput, Uint8Array<ArrayBuffer>> = {
  name: 'mutation-counts.projects',
  run: ({ query, loaded, pretty }) =>
    frameOf(() => countByProject(query, arraysOf(loaded)), { pretty }),
  transfer: (bytes) => [bytes.buffer],
}
