import { type Bits, hasBit } from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { keysOfFilter } from '../../query/keys.ts'
import { selectRows } from '../../query/select.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey, levelKey, linkKey } from '../../release/layout.ts'
import type { ArrayKey, Level, LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { frameOf } from './frame.ts'
import { type ProjectCounts, type Projects, projectsOf } from './projects.ts'
import { TESTED_KEYS, testedCases } from './tested-cases.ts'

/** Query for the number of cases tested for mutations, by project. */
interface ProjectCountsQuery {
  readonly cases?: Filter | undefined
}

const CATEGORIES = 'summary.data_categories'

/** Returns the keys of all arrays that the query may read, so that they can be loaded. */
export function keysOfProjectCounts({ cases }: ProjectCountsQuery): readonly ArrayKey[] {
  return [
    ...keysOfFilter(cases),
    ...TESTED_KEYS,
    levelKey('cases', CATEGORIES),
    linkKey('cases', 'project'),
    columnKey('projects', 'project_id'),
  ]
}

/** Counts the selected cases by project (data-commons.md 6.7). */
export function countByProject(
  { cases }: ProjectCountsQuery,
  arrays: ReleaseArrays,
): ProjectCounts {
  const selected = selectRows('cases', cases, [], arrays).rows
  const projects = projectsOf(arrays)
  const none = new Uint32Array(projects.size + 1)
  const passing = selected.bits
  const tested = testedCases('ssm', selected, arrays)
  const sums = {
    cases: projects.count(passing),
    categories: sumOf(arrays.level('cases', CATEGORIES), passing, projects) ?? none,
    mutated: tested ? projects.count(tested) : none,
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

/** Counts elements of a nested level by the project of their case. Returns undefined if the level is empty. */
function sumOf(
  level: Level | undefined,
  passing: Bits | undefined,
  { size, targets }: Projects,
): Uint32Array | undefined {
  if (!level || !targets) return undefined
  const { offsets } = level
  const sums = new Uint32Array(size + 1)
  for (let row = 0; row < targets.length; row++) {
    if (passing && !hasBit(passing, row)) continue
    const project = targets[row]!
    sums[project] = sums[project]! + offsets[row + 1]! - offsets[row]!
  }
  return sums
}

interface ProjectCountsInput {
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
