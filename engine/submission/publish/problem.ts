/** What prevents that a project is released, or is worth knowing of what is. */
export interface ReleaseProblem {
  readonly projectId: string
  /** `null`: it is about the project. */
  readonly entityId: string | null
  readonly type: string | null
  readonly problem: string
}

/** Problems that are listed one by one. */
const MAX_LISTED = 1000

/** Problems in the order in which they are found. */
export class ProblemList {
  readonly listed: ReleaseProblem[] = []
  count = 0

  add(problem: ReleaseProblem): void {
    this.count++
    if (this.listed.length < MAX_LISTED) this.listed.push(problem)
  }
}
