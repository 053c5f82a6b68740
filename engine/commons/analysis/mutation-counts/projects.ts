import type { Bits } from '../../../shared/arrays/bitset.ts'
import { countCodes } from '../../query/histogram.ts'
import type { ReleaseArrays } from '../../release/loaded.ts'

/** What is reported of a project besides its name and number of cases. */
export type ProjectBucket = Readonly<Record<string, unknown>>

/** Counts by project, in the order of their buckets. */
export interface ProjectCounts {
  /** Cases in all, those without a project too. */
  readonly total: number
  readonly buckets: readonly ProjectBucket[]
}

/** Projects of cases. */
export interface Projects {
  readonly size: number
  /** By case: the project's row + 1, 0 for none; absent when no case has any. */
  readonly targets: Uint32Array | undefined
  /** How many of some cases, or of all, are of each project. */
  count(cases: Bits | undefined): Uint32Array
  /** Row of a case's project + 1; 0 when it has none. */
  of(row: number): number
  /** Projects with cases, most cases first, then by id. */
  buckets(cases: Uint32Array, rest: (project: number) => ProjectBucket): readonly ProjectBucket[]
}

/** Needs the link `project` of cases and the ids of projects. */
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
        // Stable: rows ascend with ids.
        .sort((a, b) => cases[b]! - cases[a]!)
        .map((project) => ({
          key: names?.text(project) ?? '',
          doc_count: cases[project],
          ...rest(project),
        })),
  }
}
