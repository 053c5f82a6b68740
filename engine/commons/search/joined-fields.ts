import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import type { Layouts } from '../query/field-cost.ts'
import { joinJob } from '../query/join-job.ts'
import { bytesOfJoined, isJoinable, type Joined, type Joins } from '../query/joined.ts'
import { leafFields } from '../query/keys.ts'
import type { Query } from '../query/query.ts'
import type { LoadedArrays } from '../release/loaded.ts'

/** Limit of shared memory for all joined fields. */
const MAX_JOINED_BYTES = 64 << 20

/** Maximum number of conditions whose fields are joined. Further ones are evaluated without joins. */
const MAX_CONDITIONS = 64

interface JoinSources {
  readonly layouts: Layouts
  /** Arrays of the release, including those of `keysOf`. The caller keeps them in memory until the call settles. */
  readonly loaded: LoadedArrays
  readonly executor: Executor
}

/** A field that is joined or being joined. */
interface Entry {
  readonly bytes: number
  readonly joining: Promise<Joined>
  joined: Joined | undefined
}

/** Maximum number of fields that are remembered after one request. */
const MAX_REQUESTED_ONCE = 1000

interface FoundJoins {
  readonly joins: Joins
  /** Whether all fields are joined, so that a repetition of the query would not find more. */
  readonly isComplete: boolean
}

/**
 * Fields joined to the rows of their dataset, shared by all queries on a release. A field is joined by a job
 * when it is requested for the second time. Over the memory limit, the least recently used field is dropped.
 */
export class JoinedFields {
  readonly #entries = new Map<string, Entry>()
  readonly #requestedOnce = new Set<string>()
  readonly #onForget: () => void
  #bytes = 0

  /** @param onForget called when a field is dropped to save memory or because its job failed */
  constructor(onForget: () => void = () => {}) {
    this.#onForget = onForget
  }

  /**
   * Returns the joined fields that a query can use. A field is left out when it is requested for the first time,
   * or if no thread is free for its job. Without joined fields, the result is the same but takes longer.
   * @throws EngineError the error of a failed job, except busy
   */
  async of(query: Query, sources: JoinSources): Promise<FoundJoins> {
    const fields = fieldsOf(query, sources.layouts)
    const joins = new Map<string, Joined>()
    const waiting: Promise<void>[] = []
    for (const field of fields) {
      const entry = this.#entryOf(query.dataset, field, sources)
      if (entry?.joined) joins.set(field.path, entry.joined)
      else if (entry) waiting.push(addJoined(joins, field, entry.joining))
    }
    if (waiting.length > 0) await settled(waiting)
    return { joins, isComplete: joins.size === fields.length }
  }

  /**
   * Returns the entry of a field. The second request for a field starts its job; the first returns undefined,
   * since it may be the only one.
   */
  #entryOf(table: DatasetName, field: FieldPath, sources: JoinSources): Entry | undefined {
    const key = `${table} ${field.path}`
    const known = this.#entries.get(key)
    if (!known && !this.#requestedOnce.delete(key)) {
      addKey(this.#requestedOnce, key, MAX_REQUESTED_ONCE)
      return undefined
    }
    const entry = known ?? this.#start(key, table, field, sources)
    // Reinserting the entry makes it the most recently used.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (!known) this.#forget()
    return entry
  }

  #start(key: string, table: DatasetName, field: FieldPath, sources: JoinSources): Entry {
    const { executor, loaded, layouts } = sources
    const bytes = bytesOfJoined(layouts[table].rows)
    const entry: Entry = {
      bytes,
      // The job takes milliseconds and has no abort signal, because other requests may wait for it.
      joining: executor.run(joinJob, { table, field, loaded }),
      joined: undefined,
    }
    this.#bytes += bytes
    entry.joining.then(
      (joined) => {
        entry.joined = joined
      },
      () => {
        if (this.#entries.get(key) === entry) this.#drop(key, entry)
      },
    )
    return entry
  }

  /** Drops the least recently used fields until the others are within the memory limit. */
  #forget(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= MAX_JOINED_BYTES) return
      this.#drop(key, entry)
    }
  }

  #drop(key: string, { bytes }: Entry): void {
    this.#entries.delete(key)
    this.#bytes -= bytes
    this.#onForget()
  }
}

/** Adds a key and removes the oldest if there are too many. */
function addKey(keys: Set<string>, key: string, maximum: number): void {
  keys.add(key)
  const [oldest = key] = keys
  if (keys.size > maximum) keys.delete(oldest)
}

/** Returns the distinct fields to join, but no more than fit in memory together. */
function fieldsOf({ dataset, filter, facets }: Query, layouts: Layouts): readonly FieldPath[] {
  const filtered = filter ? leafFields(filter).slice(0, MAX_CONDITIONS) : []
  const fields = new Map([...filtered, ...facets.map(({ field }) => field)].map((f) => [f.path, f]))
  const maximum = Math.floor(MAX_JOINED_BYTES / bytesOfJoined(layouts[dataset].rows))
  return [...fields.values()].filter((field) => isJoinable(field, layouts)).slice(0, maximum)
}

/** Adds a field when its job has ended, unless no thread was free for the job. */
async function addJoined(
  joins: Map<string, Joined>,
  { path }: FieldPath,
  joining: Promise<Joined>,
) {
  try {
    joins.set(path, await joining)
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'busy') throw error
  }
}

/** Waits for all promises even if one rejects: the caller frees the arrays that the jobs are still reading. */
async function settled(waiting: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(waiting)
  await Promise.all(waiting)
}
