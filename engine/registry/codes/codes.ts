import type { DatabaseSync } from 'node:sqlite'

/** What an area of codes works with. */
export interface CodesOptions {
  readonly state: DatabaseSync
  readonly clock: () => Date
}

/** A record and the revision that an edit may be held to. */
export interface CodeAtRevision<T> {
  readonly record: T
  readonly revision: number
}
