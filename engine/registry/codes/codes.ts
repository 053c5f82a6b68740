import type { Database } from '../../shared/database/database.ts'

/** What an area of codes works with. */
export interface CodesOptions {
  /**
   * As sharedState opens it.
   * @internal
   */
  readonly state: Database
  readonly clock: () => Date
}
