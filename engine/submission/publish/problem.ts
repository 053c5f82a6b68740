/** What keeps a project from being released, or is worth knowing of what is. */
export interface ReleaseProblem {
  readonly projectId: string
  /** `null`: it is about the project. */
  readonly entityId: string | null
  readonly type: string | null
  readonly problem: string
}

/** Problems that are told one by one. */
const MAX_TOLD = 1000

/** Problems in the order in which they are found. */
export class ProblemList {
  readonly told: ReleaseProblem[] = []
  count = 0

  add(problem: ReleaseProblem): void {
    this.count++
    if (this.told.length < MAX_TOLD) this.told.push(problem)
  }
}
