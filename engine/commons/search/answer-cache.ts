import type { QueryPlan } from '../query/evaluate.ts'
import type { Filter } from '../query/filter-tree.ts'
import type { Joins } from '../query/joined.ts'
import type { Query } from '../query/query.ts'
import type { LoadedArrays, ReleaseArrays } from '../release/loaded.ts'
import type { Release } from '../release/release.ts'
import { JoinedFields } from './joined-fields.ts'

/** Everything needed to evaluate a query. */
export interface PreparedQuery {
  readonly loaded: LoadedArrays
  readonly arrays: ReleaseArrays
  readonly joins: Joins | undefined
  /** Undefined if planning would block this thread for too long. */
  readonly plan: QueryPlan | undefined
  /** Estimated time in nanoseconds. */
  readonly cost: number
}

const NO_WARNINGS = Object.freeze({})

interface Kept {
  readonly joined: JoinedFields
  prepared: WeakMap<Query, PreparedQuery>
  /** Warnings about the values in each filter, keyed by request parameter. */
  readonly valueWarnings: WeakMap<Filter, Readonly<Record<string, string>>>
}

/** Caches results of queries for each release. Entries are freed together with their release. */
export class AnswerCache {
  readonly #kept = new WeakMap<Release, Kept>()

  /** Returns the fields of related records that have been joined to the rows of this release. */
  joinedOf(release: Release): JoinedFields {
    return this.#of(release).joined
  }

  /** Returns the prepared query if all its arrays are still in memory. */
  preparedOf(query: Query, release: Release): PreparedQuery | undefined {
    const prepared = this.#of(release).prepared.get(query)
    return prepared && release.holds(prepared.loaded) ? prepared : undefined
  }

  /** Caches a prepared query for as long as the query object lives, if its arrays are cached. */
  keep(query: Query, prepared: PreparedQuery, release: Release): void {
    // A query whose arrays did not fit in the array cache is not kept, because it would hold them in memory.
    if (release.holds(prepared.loaded)) this.#of(release).prepared.set(query, prepared)
  }

  /** Returns the warnings about a filter's values, or undefined if they have not been computed. */
  valueWarningsOf(
    filter: Filter | undefined,
    release: Release,
  ): Readonly<Record<string, string>> | undefined {
    return filter ? this.#of(release).valueWarnings.get(filter) : NO_WARNINGS
  }

  keepValueWarnings(
    filter: Filter | undefined,
    texts: Readonly<Record<string, string>>,
    release: Release,
  ): void {
    if (filter) this.#of(release).valueWarnings.set(filter, texts)
  }

  #of(release: Release): Kept {
    const known = this.#kept.get(release)
    if (known) return known
    const kept: Kept = {
      // Prepared queries refer to joined fields, so all of them are dropped when a joined field is dropped.
      joined: new JoinedFields(() => {
        kept.prepared = new WeakMap()
      }),
      prepared: new WeakMap(),
      valueWarnings: new WeakMap(),
    }
    this.#kept.set(release, kept)
    return kept
  }
}
