import type { QueryPlan } from '../query/evaluate.ts'
import type { Filter } from '../query/filter-tree.ts'
import type { Joins } from '../query/joined.ts'
import type { Query } from '../query/query.ts'
import type { LoadedArrays, ReleaseArrays } from '../release/loaded.ts'
import type { Release } from '../release/release.ts'
import { JoinedFields } from './joined-fields.ts'

/** What answering a query takes, apart from evaluating it. */
export interface PreparedQuery {
  readonly loaded: LoadedArrays
  readonly arrays: ReleaseArrays
  readonly joins: Joins | undefined
  /** Absent when planning would take too long on this thread. */
  readonly plan: QueryPlan | undefined
  /** In nanoseconds. */
  readonly cost: number
}

const NO_WARNINGS = Object.freeze({})

interface Kept {
  readonly joined: JoinedFields
  prepared: WeakMap<Query, PreparedQuery>
  /** What is said of the values of filters, by parameter. */
  readonly valueWarnings: WeakMap<Filter, Readonly<Record<string, string>>>
}

/** What queries keep for later ones, by release: it goes with the release. */
export class AnswerCache {
  readonly #kept = new WeakMap<Release, Kept>()

  /** Fields that are joined by rows of the release. */
  joinedOf(release: Release): JoinedFields {
    return this.#of(release).joined
  }

  /** As it was prepared, if all arrays that it looks at are still in memory. */
  preparedOf(query: Query, release: Release): PreparedQuery | undefined {
    const prepared = this.#of(release).prepared.get(query)
    return prepared && release.holds(prepared.loaded) ? prepared : undefined
  }

  /** Keeps it as long as the query itself is kept, unless its arrays are not. */
  keep(query: Query, prepared: PreparedQuery, release: Release): void {
    // What had no place beside others must not be kept by this either.
    if (release.holds(prepared.loaded)) this.#of(release).prepared.set(query, prepared)
  }

  /** What is said of a filter's values; `undefined` when that is not known yet. */
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
      // Prepared queries would keep what is forgotten.
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
