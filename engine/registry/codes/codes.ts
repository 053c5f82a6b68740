import type { Database } from '../../shared/database/database.ts'

/** Dependencies of an area of codes. */
export interface CodesOptions {
  /** The database that sharedState opens. @internal */
  readonly state: Database
  readonly clock: () => Date
}
