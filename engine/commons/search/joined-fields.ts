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

/** Shared memory that joined fields take together. */
const MAX_JOINED_BYTES = 64 << 20

/** Conditions of a filter whose fields are looked at: the others are evaluated without. */
const MAX_CONDITIONS = 64

export interface JoinSources {
  readonly layouts: Layouts
  /** At least what `keysOf` names for the query; it stays valid until the call settles. */
  readonly loaded: LoadedArrays
  readonly executor: Executor
}

interface Entry {
  readonly bytes: number
  readonly joining: Promise<Joined>
  joined: Joined | undefined
}

/** Fields that were asked for once, and are remembered as such. */
const MAX_ASKED_ONCE = 1000

export interface FoundJoins {
  readonly joins: Joins
  /** The next one who asks gets no others. */
  readonly isComplete: boolean
}

/**
 * Fields of one release, joined for the rows of its datasets. They are a property of the release, as
 * counts of all records are: each is joined when it is asked for a second time, by a job, and kept
 * until all take too much and it is the one that was not asked for longest.
 */
export class JoinedFields {
  readonly #entries = new Map<string, Entry>()
  readonly #askedOnce = new Set<string>()
  readonly #onForget: () => void
  #bytes = 0

  /** @param onForget called when what was given out before is not kept any more */
  constructor(onForget: () => void = () => {}) {
    this.#onForget = onForget
  }

  /**
   * What the filter and the facets of a query can be answered by, but for what there is no thread for
   * just now: a query is answered without it as well.
   * @throws EngineError as a job does that is not busy
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

  /** `undefined`: it is asked for the first time, and may never be again. */
  #entryOf(table: DatasetName, field: FieldPath, sources: JoinSources): Entry | undefined {
    const key = `${table} ${field.path}`
    const known = this.#entries.get(key)
    if (!known && !this.#askedOnce.delete(key)) {
      addKey(this.#askedOnce, key, MAX_ASKED_ONCE)
      return undefined
    }
    const entry = known ?? this.#start(key, table, field, sources)
    // Newest last.
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
      // Others may wait for it too, so that no request's signal ends it; it takes milliseconds.
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

/** Adds a key; of too many, the first one goes. */
function addKey(keys: Set<string>, key: string, most: number): void {
  keys.add(key)
  const [oldest = key] = keys
  if (keys.size > most) keys.delete(oldest)
}

/** Each once, no more than can be kept together. */
function fieldsOf({ dataset, filter, facets }: Query, layouts: Layouts): readonly FieldPath[] {
  const asked = filter ? leafFields(filter).slice(0, MAX_CONDITIONS) : []
  const fields = new Map([...asked, ...facets.map(({ field }) => field)].map((f) => [f.path, f]))
  const most = Math.floor(MAX_JOINED_BYTES / bytesOfJoined(layouts[dataset].rows))
  return [...fields.values()].filter((field) => isJoinable(field, layouts)).slice(0, most)
}

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

/** Jobs read arrays that the caller keeps in place: who fails first waits for the others. */
async function settled(waiting: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(waiting)
  await Promise.all(waiting)
}
