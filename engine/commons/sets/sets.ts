import { randomBytes } from 'node:crypto'
import {
  type Bits,
  clearBit,
  countBits,
  hasBit,
  intersect,
  membersOf,
  newBits,
  setBit,
  subtract,
  unite,
} from '../../shared/arrays/bitset.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Database } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Report } from '../../shared/events.ts'
import type { Executor } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { createResolver } from '../datasets/resolver.ts'
import { arraysOf } from '../release/arrays.ts'
import type { Dictionary } from '../release/dictionary.ts'
import { columnKey, partsOfSetKey, setKey } from '../release/layout.ts'
import { partOf } from '../release/loaded.ts'
import type { MarkMembers, Release } from '../release/release.ts'
import { answerQuery } from '../search/answer-query.ts'
import type { CurrentRelease, Lease } from '../search/current-release.ts'
import { type RequestedFilters, readRecordFilter } from '../search/record-filter.ts'
import { CHUNK_MEMBERS, idsOfRows, packIds, unpackIds } from './member-ids.ts'
import {
  bareSetId,
  checkNamed,
  DATASET_OF_SET,
  isSetId,
  namedSets,
  parsedFilters,
  withPinned,
} from './pin.ts'
import {
  SET_ROW_BYTES,
  type SetKind,
  type SetRecord,
  SetStore,
  type SetType,
  type Shortage,
} from './set-store.ts'

/** Limits: sets and bytes of one client, bytes of all clients, members of one set and length of its intent. */
const SET_LIMITS = Object.freeze({
  sets: 2000,
  clientBytes: 256 << 20,
  bytes: 2 ** 32,
  members: 4_000_000,
  /** Maximum number of sets that are combined, because the number of parts grows exponentially. */
  combined: 6,
  /** Maximum length of an intent. Its length does not count towards the size of the set. */
  intent: 1000,
})

/**
 * Finds the first `size` rows that match filters, in a given sort order.
 * @throws EngineError as search
 */
export type RankRows = (
  chosen: RequestedFilters & { readonly size: number },
  release: Release,
  run: SetRun,
) => Promise<Uint32Array>

/** Selects the members of a set: all records that match the filters, or the first `size` of them. */
export interface ChosenMembers extends RequestedFilters {
  readonly size?: number | undefined
  /**
   * Order that determines the first records. By default the order of ids.
   * @internal
   */
  readonly rank?: RankRows | undefined
}

/** Selects the records to add to or remove from a set. */
export interface ChangeMembers extends ChosenMembers {
  /** Required type of the set. Undefined accepts any type. */
  readonly type?: SetType | undefined
}

export interface CreateSet extends ChosenMembers {
  readonly type: SetType
  /** Kind of the set. By default `mutable`. */
  readonly kind?: SetKind | undefined
  /** Purpose of the set as the client describes it. It is stored and has no effect. */
  readonly intent?: string | undefined
  /** Identifies the client whose limits apply. */
  readonly client: string
}

/** A stored set, with the numbers of its members that are in the current release and that are not. */
export interface StoredSet {
  readonly id: string
  readonly type: SetType
  readonly kind: SetKind
  readonly intent: string | null
  /** Number of members that are in the release. */
  readonly size: number
  /** Number of members that the release lacks. They were in the release from which the set was made. */
  readonly lost: number
  readonly release: string
  readonly createdAt: string
}

export const SET_OPERATIONS = ['union', 'intersection', 'difference'] as const
export type SetOperation = (typeof SET_OPERATIONS)[number]

const JOINS: Readonly<Record<SetOperation, (bits: Bits, other: Bits) => Bits>> = Object.freeze({
  union: unite,
  intersection: intersect,
  difference: subtract,
})

export interface CombineSets extends Pick<CreateSet, 'kind' | 'intent' | 'client'> {
  /** Ids of at least two sets of the same type. `difference` removes the members of all other sets from the first. */
  readonly ids: readonly string[]
  readonly operation: SetOperation
}

/** Records that are in all sets of `within` and in no set of `outside`. */
export interface SetPart {
  readonly within: readonly string[]
  readonly outside: readonly string[]
  readonly size: number
}

export interface CombinedSet extends StoredSet {
  readonly parts: readonly SetPart[]
}

interface SetsContext {
  readonly database: Database
  readonly clock: () => Date
  readonly current: CurrentRelease
  readonly executor: Executor
  readonly report: Report
  readonly turns?: LoopTurns | undefined
}

export interface SetRun {
  readonly signal?: AbortSignal | undefined
}

/** Number of bytes of an id. With 128 random bits, ids cannot be guessed. */
const ID_BYTES = 16
const SWEEP_MILLISECONDS = 600_000
/** Maximum number of attempts to read a set that is being changed. */
const MAX_READS = 5
/** Number of records that are looked up before yielding to the event loop. */
const STEP = 1024

/**
 * Sets of cases, genes, mutations and files that clients store. Filters refer to them by `set_id:` and the id
 * (docs/reference/sets.md). Members are stored as ids, and as a bitmap of rows for fast filtering. When another
 * release is served, its bitmap is made from the ids on first use.
 */
export class Sets {
  readonly #context: SetsContext
  readonly #turns: LoopTurns
  readonly #store: SetStore
  #sweptAt = 0

  constructor(context: SetsContext) {
    this.#context = context
    this.#turns = context.turns ?? new LoopTurns()
    this.#store = new SetStore(context.database, context.clock)
  }

  /**
   * Returns filters in which references to sets are replaced by the current versions of the sets. The result is
   * used for evaluation and as a cache key. A reference to an unknown or expired set remains. It is a value that
   * no record has, so it matches nothing and excludes nothing.
   * @throws EngineError too_many for more than MAX_SETS references
   */
  async pin(filters: unknown): Promise<unknown> {
    const given = await this.#turns.run(parsedFilters(filters))
    if (given === undefined || given === null) return given
    const ids = await this.#turns.run(namedSets(given))
    if (ids.size === 0) return given
    checkNamed(ids)
    const known = await this.#store.use([...ids].filter(isSetId))
    return this.#turns.run(withPinned(given, known))
  }

  /**
   * Creates a set of the records that match filters.
   * @throws EngineError bad_input naming the place in a filter; too_many if the client's sets or all sets
   *   exceed a limit; as search
   */
  async create(asked: CreateSet, run: SetRun = {}): Promise<StoredSet> {
    const { type, kind = 'mutable', client } = asked
    const intent = intentOf(asked)
    return this.#onRelease(async (release) => {
      const rows = await this.#rowsOf(type, asked, release, run)
      const record = { type, kind, intent, release: release.id, owner: client }
      return this.#add(record, rows, release)
    })
  }

  /**
   * Adds matching records that are not yet members, at most `size`.
   * @throws EngineError not_found; conflict for a set that cannot be changed or is being changed; like create
   */
  append(id: string, chosen: ChangeMembers, run: SetRun = {}): Promise<StoredSet> {
    return this.#change(id, chosen, run, (bits, rows) => {
      const { size = Number.POSITIVE_INFINITY } = chosen
      let added = 0
      for (const row of rows) {
        if (added >= size) break
        if (hasBit(bits, row)) continue
        setBit(bits, row)
        added++
      }
    })
  }

  /**
   * Removes matching records from a set.
   * @throws EngineError as append
   */
  remove(
    id: string,
    { filters, caseFilters, type }: Omit<ChangeMembers, 'rank' | 'size'>,
    run: SetRun = {},
  ): Promise<StoredSet> {
    return this.#change(id, { filters, caseFilters, type }, run, (bits, rows) => {
      for (const row of rows) clearBit(bits, row)
    })
  }

  /**
   * Replaces all members by the matching records. The id of the set stays.
   * @throws EngineError as append
   */
  replace(id: string, chosen: ChangeMembers, run: SetRun = {}): Promise<StoredSet> {
    const { size = Number.POSITIVE_INFINITY } = chosen
    return this.#change(id, chosen, { ...run, dropsLost: true }, (bits, rows) => {
      bits.fill(0)
      for (const row of rows.subarray(0, Math.max(size, 0))) setBit(bits, row)
    })
  }

  /**
   * Combines sets into a new one. Counts each part: records that are in some of the sets and not in the others.
   * @throws EngineError bad_input for fewer than two or more than the limit, or of different types; like
   *   create
   */
  async combine(asked: CombineSets, run: SetRun = {}): Promise<CombinedSet> {
    const { operation, kind = 'ephemeral', client } = asked
    const intent = intentOf(asked)
    const ids = asked.ids.map(bareSetId)
    const most = SET_LIMITS.combined
    if (ids.length < 2 || ids.length > most || new Set(ids).size < ids.length) {
      const message = `${ids.length} sets are given; give 2 to ${most} different ones`
      throw new EngineError('bad_input', message, { at: 'sets' })
    }
    const records = await Promise.all(ids.map((id) => this.#find(id)))
    const [{ type } = { type: 'case' as const }] = records
    const other = records.find((one) => one.type !== type)
    if (other) {
      const message = `sets of ${type} and of ${other.type} are given; combine sets of one type`
      throw new EngineError('bad_input', message, { at: 'sets' })
    }
    return this.#onRelease(async (release) => {
      const all = await Promise.all(records.map((one) => bitsOf(one, release, run)))
      const rows = release.rowsOf(DATASET_OF_SET[type])
      const counts = await this.#partCounts(all, rows)
      const [first = newBits(rows), ...others] = all
      const chosen = unite(newBits(rows), first)
      for (const other of others) JOINS[operation](chosen, other)
      const members = membersOf(chosen, 0, countBits(chosen))
      const record = { type, kind, intent, release: release.id, owner: client }
      const made = await this.#add(record, members, release)
      const parts = Array.from({ length: counts.length - 1 }, (_, i): SetPart => {
        const isIn = (place: number) => ((i + 1) >>> place) % 2 === 1
        return {
          within: ids.filter((_, place) => isIn(place)),
          outside: ids.filter((_, place) => !isIn(place)),
          size: counts[i + 1] ?? 0,
        }
      })
      return { ...made, parts }
    })
  }

  /** For each combination of sets, counts the rows that are in exactly these sets. The index has one bit per set. */
  async #partCounts(all: readonly Bits[], rows: number): Promise<Uint32Array> {
    const counts = new Uint32Array(2 ** all.length)
    for (let row = 0; row < rows; row++) {
      if (row % (STEP * 16) === 0) await this.#turns.pause()
      let combination = 0
      for (let s = 0; s < all.length; s++) if (hasBit(all[s]!, row)) combination |= 1 << s
      counts[combination] = counts[combination]! + 1
    }
    return counts
  }

  /** @throws EngineError not_found; unavailable without a release */
  async get(id: string, run: SetRun = {}): Promise<StoredSet> {
    const record = await this.#find(id)
    return this.#onRelease(async (release) =>
      shown(record, countBits(await bitsOf(record, release, run))),
    )
  }

  /**
   * Yields the ids of the members that the release has, or no longer has, ascending, in batches of some
   * thousand.
   * @throws EngineError as get
   */
  async *ids(id: string, areLost = false): AsyncGenerator<readonly string[]> {
    const record = await this.#find(id)
    const lease = this.#context.current.lease()
    try {
      const dictionary = await idsIn(record.type, lease.release)
      for await (const ids of this.#stored(record)) {
        const found: string[] = []
        for (const [i, one] of ids.entries()) {
          if (i % STEP === 0) await this.#turns.pause()
          if ((dictionary?.find(one) ?? 0) > 0 !== areLost) found.push(one)
        }
        if (found.length > 0) yield found
      }
    } catch (error) {
      throw lease.errorOf(error)
    } finally {
      lease.end()
    }
  }

  /** @throws EngineError not_found if there is no such set */
  async delete(id: string): Promise<void> {
    if (!(await this.#store.remove((await this.#find(id)).id))) throw unknownSet()
  }

  /**
   * Marks the rows of a set's members in a release. If the version was replaced after a request referred to it,
   * the new version is used.
   * @throws EngineError busy if the set keeps changing
   * @internal
   */
  readonly markMembers: MarkMembers = async (key, release, rows) => {
    const { id } = partsOfSetKey(key)
    for (let tries = 0; tries < MAX_READS; tries++) {
      const record = (await this.#store.use([id])).get(id)
      if (!record || (await this.#mark(record, release, rows))) return
      rows.fill(0)
    }
    throw new EngineError('busy', 'a set that the filters name is being changed; try again', {
      at: 'filters',
    })
  }

  /** @returns false if the version was replaced or removed while it was read */
  async #mark(record: SetRecord, release: Release, rows: Bits): Promise<boolean> {
    const { id, version } = record
    const known = await this.#store.rowBits(id, version, release.id)
    const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength)
    if (known?.length === bytes.length) {
      bytes.set(known)
      return true
    }
    const dictionary = await idsIn(record.type, release)
    try {
      for await (const ids of this.#stored(record)) {
        for (const [i, one] of ids.entries()) {
          if (i % STEP === 0) await this.#turns.pause()
          const code = dictionary?.find(one) ?? 0
          if (code > 0) setBit(rows, code - 1)
        }
      }
    } catch (error) {
      if (error instanceof EngineError && error.code === 'conflict') return false
      throw error
    }
    await this.#store
      .keepRowBits(id, version, release.id, bytes.slice())
      .catch((cause: unknown) => {
        // If the bitmap cannot be stored, it is made again for the next request.
        const message = 'rows of a set cannot be written down'
        this.#context.report({ level: 'warn', message, cause })
      })
    return true
  }

  /** @throws EngineError conflict if the set was changed or removed while its members were read */
  async *#stored({ id, version, members }: SetRecord): AsyncGenerator<string[]> {
    let read = 0
    for (let number = 0; read < members; number++) {
      const chunk = await this.#store.chunk(id, version, number)
      if (!chunk) throw changedMeanwhile()
      const ids = unpackIds(chunk)
      read += ids.length
      yield ids
      await this.#turns.pause()
    }
  }

  async #find(given: string): Promise<SetRecord> {
    const id = bareSetId(given)
    const record = isSetId(id) ? (await this.#store.use([id])).get(id) : undefined
    if (!record) throw unknownSet()
    return record
  }

  async #onRelease<Result>(work: (release: Release) => Promise<Result>): Promise<Result> {
    const lease: Lease = this.#context.current.lease()
    try {
      return await work(lease.release)
    } catch (error) {
      throw lease.errorOf(error)
    } finally {
      lease.end()
    }
  }

  /** Returns the rows that match filters, in the given order or, without one, in the order of ids. */
  async #rowsOf(
    type: SetType,
    { filters, caseFilters, size: most = SET_LIMITS.members + 1, rank }: ChosenMembers,
    release: Release,
    run: SetRun,
  ): Promise<Uint32Array> {
    const size = Math.max(most, 0)
    const rows = rank
      ? await rank({ filters, caseFilters, size }, release, run)
      : await this.#rowsById(DATASET_OF_SET[type], { filters, caseFilters, size }, release, run)
    if (rows.length <= SET_LIMITS.members) return rows
    const message = `more than ${SET_LIMITS.members} records pass; give size, or filters that fewer pass`
    throw new EngineError('too_many', message, { at: 'filters' })
  }

  async #rowsById(
    dataset: DatasetName,
    { filters, caseFilters, size }: RequestedFilters & { readonly size: number },
    release: Release,
    { signal }: SetRun,
  ): Promise<Uint32Array> {
    const asked = { filters: await this.pin(filters), caseFilters: await this.pin(caseFilters) }
    const resolver = createResolver(datasetOf(dataset))
    const filter = await readRecordFilter(dataset, asked, resolver, { turns: this.#turns })
    const query = { dataset, filter, facets: [], sort: [], from: 0, size }
    const { rows } = await answerQuery(query, release, this.#context.executor, { signal })
    return rows.toSorted()
  }

  async #add(
    record: Pick<SetRecord, 'type' | 'kind' | 'intent' | 'release'> & { readonly owner: string },
    rows: Uint32Array,
    release: Release,
  ): Promise<StoredSet> {
    const id = randomBytes(ID_BYTES).toString('hex')
    const bits = newBits(release.rowsOf(DATASET_OF_SET[record.type]))
    const bytes = bytesOf(bits, rows.length)
    await this.#makeRoom(bytes, () => this.#store.add({ ...record, id }, bytes, SET_LIMITS))
    const dictionary = await idsIn(record.type, release)
    for (const row of rows) setBit(bits, row)
    await this.#store.replace(id, 0, {
      release: release.id,
      members: rows.length,
      chunks: this.#packed(
        dictionary ? idsOfRows(membersOf(bits, 0, rows.length), dictionary) : [],
      ),
      rowBits: new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength),
    })
    return shown(await this.#find(id), rows.length)
  }

  async *#packed(lists: Iterable<string[]>): AsyncGenerator<Uint8Array> {
    for (const ids of lists) {
      yield packIds(ids)
      await this.#turns.next()
    }
  }

  async #change(
    given: string,
    chosen: ChangeMembers,
    run: SetRun & { readonly dropsLost?: boolean },
    apply: (bits: Bits, rows: Uint32Array) => void,
  ): Promise<StoredSet> {
    const record = await this.#find(given)
    const { type = record.type } = chosen
    if (record.type !== type) {
      const message = `the set has members of the type ${record.type}, and ${type} is requested; give the type of the set`
      throw new EngineError('bad_input', message, { at: 'set_id' })
    }
    if (record.kind !== 'mutable') {
      const message = `the set is ${record.kind}, which nobody changes; make another one, or one that is mutable`
      throw new EngineError('conflict', message, { at: 'set_id' })
    }
    return this.#onRelease(async (release) => {
      const rows = await this.#rowsOf(record.type, { ...chosen, size: undefined }, release, run)
      const bits = (await bitsOf(record, release, run)).slice()
      apply(bits, rows)
      const members = membersOf(bits, 0, countBits(bits))
      const dictionary = await idsIn(record.type, release)
      const lost = run.dropsLost ? [] : await this.#lost(record, dictionary)
      const bytes = bytesOf(bits, members.length + lost.length)
      await this.#makeRoom(bytes, () => this.#store.grow(record.id, bytes, SET_LIMITS))
      const lists = dictionary ? idsOfRows(members, dictionary) : []
      const version = await this.#store.replace(record.id, record.version, {
        release: release.id,
        members: members.length + lost.length,
        chunks: this.#packed(withLost(lists, lost)),
        rowBits: new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength),
      })
      if (version === undefined) throw changedMeanwhile()
      return shown(await this.#find(record.id), members.length)
    })
  }

  /** Returns members that the release lacks. They remain members, because a later release may have them. */
  async #lost(record: SetRecord, dictionary: Dictionary | undefined): Promise<string[]> {
    const lost: string[] = []
    for await (const ids of this.#stored(record)) {
      for (const [i, id] of ids.entries()) {
        if (i % STEP === 0) await this.#turns.pause()
        if ((dictionary?.find(id) ?? 0) === 0) lost.push(id)
      }
    }
    return lost
  }

  /**
   * Reserves space for a set. If its client has reached a limit, temporary sets of the client are removed
   * first.
   * @throws EngineError too_many if the client has reached its limits; busy if sets of other clients leave too
   * little
   */
  async #makeRoom(needed: number, take: () => Promise<Shortage | undefined>): Promise<void> {
    await this.#sweep()
    let shortage = await take()
    if (shortage && needed <= shortage.mostBytes) {
      await this.#free(shortage, needed)
      shortage = await take()
    }
    if (!shortage) return
    const { sets, bytes, mostBytes } = shortage
    const message = `sets of this client take ${sets} of ${SET_LIMITS.sets} places and ${bytes} of ${mostBytes} bytes; delete some, or wait until they expire`
    const isScarce = mostBytes < SET_LIMITS.clientBytes && sets < SET_LIMITS.sets
    throw new EngineError(isScarce ? 'busy' : 'too_many', message)
  }

  /** Removes temporary sets of a client, least recently used first, until a new set fits. */
  async #free({ owner, mostBytes, ...kept }: Shortage, needed: number): Promise<void> {
    let { sets, bytes } = kept
    for (const { id, bytes: freed } of await this.#store.passing(owner, SET_LIMITS.sets)) {
      if (sets < SET_LIMITS.sets && bytes + needed <= mostBytes) return
      await this.#store.remove(id)
      sets -= 1
      bytes -= freed
    }
  }

  async #sweep(): Promise<void> {
    const now = this.#context.clock().getTime()
    if (now - this.#sweptAt < SWEEP_MILLISECONDS) return
    this.#sweptAt = now
    await this.#store.sweep()
  }
}

const BYTES_OF_MEMBER = 16

/** Returns the approximate size of a set: its rows and its ids. */
const bytesOf = (bits: Bits, members: number) =>
  SET_ROW_BYTES + bits.byteLength + members * BYTES_OF_MEMBER

function* withLost(lists: Iterable<string[]>, lost: readonly string[]): Generator<string[]> {
  yield* lists
  for (let from = 0; from < lost.length; from += CHUNK_MEMBERS) {
    yield lost.slice(from, from + CHUNK_MEMBERS)
  }
}

/** @throws EngineError bad_input if it is too long */
function intentOf({ intent }: Pick<CreateSet, 'intent'>): string | null {
  if (intent === undefined) return null
  if (intent.length <= SET_LIMITS.intent) return intent
  const message = `intent has ${intent.length} characters; give at most ${SET_LIMITS.intent}`
  throw new EngineError('bad_input', message, { at: 'intent' })
}

export function changedMeanwhile(): EngineError {
  return new EngineError('conflict', 'the set was changed at the same time; try again', {
    at: 'set_id',
  })
}

function unknownSet(): EngineError {
  const message =
    'there is no set of that id; it has expired, was deleted, or never was: make it anew'
  return new EngineError('not_found', message, { at: 'set_id' })
}

/** Returns a bitmap of the set's rows in a release. Valid while the release is open. */
async function bitsOf(record: SetRecord, release: Release, { signal }: SetRun): Promise<Bits> {
  const key = setKey(DATASET_OF_SET[record.type], record.id, record.version)
  const part = (await release.load([key], { signal })).parts[key]
  return part ? partOf('members', part).arrays.rows : newBits(0)
}

/** Returns the ids of a release's records. Undefined if it has none. */
async function idsIn(type: SetType, release: Release): Promise<Dictionary | undefined> {
  const dataset = DATASET_OF_SET[type]
  const { idField } = datasetOf(dataset)
  const loaded = await release.load([columnKey(dataset, idField)])
  return arraysOf(loaded).column(dataset, idField)?.dictionary
}

function shown(record: SetRecord, size: number): StoredSet {
  const { id, type, kind, intent, members, release, created_at: createdAt } = record
  return { id, type, kind, intent, size, lost: members - size, release, createdAt }
}
