/** A problem that prevents a release, or a remark about the release. */
export interface ReleaseProblem {
  readonly projectId: string
  /** Id of the entity, or null for a problem of the project itself. */
  readonly entityId: string | null
  readonly type: string | null
  readonly problem: string
}

/** Maximum number of problems that are listed. */
const MAX_LISTED = 1000

/** Collects problems in the order in which they are found. */
export class ProblemList {
  readonly listed: ReleaseProblem[] = []
  count = 0

  add(problem: ReleaseProblem): void {
    this.count++
    if (this.listed.length < MAX_LISTED) this.listed.push(problem)
  }
}
