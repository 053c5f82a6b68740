import type { DatabaseSync } from 'node:sqlite'

/** What an area of codes works with. */
export interface CodesOptions {
  readonly state: DatabaseSync
  readonly clock: () => Date
}
