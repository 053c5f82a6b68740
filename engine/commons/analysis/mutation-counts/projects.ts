import type { Bits } from '../../../shared/arrays/bitset.ts'
import { countCodes } from '../../query/histogram.ts'
import type { ReleaseArrays } from '../../release/loaded.ts'

/** Members of a project's bucket in addition to its name and number of cases. */
export type ProjectBucket = Readonly<Record<string, unknown>>

/** Counts by project, in the order of their buckets. */
export interface ProjectCounts {
  /** Number of all cases, including those without a project. */
  readonly total: number
  readonly buckets: readonly ProjectBucket[]
}

/** Projects of cases. */
export interface Projects {
  readonly size: number
  /** Project row plus one by case, 0 for none. Undefined if no case has a project. */
  readonly targets: Uint32Array | undefined
  /** Returns how many of the cases, or of all, belong to each project. */
  count(cases: Bits | undefined): Uint32Array
  /** Returns the row of a case's project plus one, or 0 if it has none. */
  of(row: number): number
  /** Returns the projects with cases, by descending number of cases, then by id. */
  buckets(cases: Uint32Array, rest: (project: number) => ProjectBucket): readonly ProjectBucket[]
}

/** Reads the projects from arrays with the link `project` of cases and the ids of projects. */
export function projectsOf(arrays: ReleaseArrays): Projects {
  const size = arrays.rows('projects')
  const targets = arrays.link('cases', 'project')?.targets
  const names = arrays.column('projects', 'project_id')?.dictionary
  return {
    size,
    targets,
    count: (cases) =>
      targets ? countCodes({ codes: targets }, cases, size) : new Uint32Array(size + 1),
    of: (row) => targets?.[row] ?? 0,
    buckets: (cases, rest) =>
      Array.from({ length: size }, (_, row) => row + 1)
        .filter((project) => cases[project]! > 0)
        // The sort is stable, and rows are in the order of ids.
        .sort((a, b) => cases[b]! - cases[a]!)
        .map((project) => ({
          key: names?.text(project) ?? '',
          doc_count: cases[project],
          ...rest(project),
        })),
  }
}
