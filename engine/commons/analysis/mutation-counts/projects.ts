import type { Bits } from '../../../shared/arrays/bitset.ts'
import { countCodes } from '../../query/histogram.ts'
import type { ReleaseArrays } from '../../release/loaded.ts'

/** Fields of a project's bucket, without its key and its number of cases. */
export type ProjectBucket = Readonly<Record<string, unknown>>

export interface ProjectCounts {
  /** Number of selected cases, including those that have no project. */
  readonly total: number
  readonly buckets: readonly ProjectBucket[]
}

/** Maps the cases of a release to their projects. */
export interface Projects {
  readonly size: number
  /** For each case, the row of its project plus one, 0 for none. Undefined if no case has a project. */
  readonly targets: Uint32Array | undefined
  /** Returns the number of cases of each project. Undefined counts all cases. */
  count(cases: Bits | undefined): Uint32Array
  /** Returns the row of a case's project plus one, or 0 if the case has none. */
  of(row: number): number
  /** Returns a bucket for each project that has cases, by descending number of cases, then by project id. */
  buckets(cases: Uint32Array, rest: (project: number) => ProjectBucket): readonly ProjectBucket[]
}

/** Reads the projects from arrays, which must include the link `project` of cases and the ids of projects. */
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
        // The sort is stable, and rows are in order of project id.
        .sort((a, b) => cases[b]! - cases[a]!)
        .map((project) => ({
          key: names?.text(project) ?? '',
          doc_count: cases[project],
          ...rest(project),
        })),
  }
}
