import { touch } from '../concurrency/lru-cache.ts'
import type { News } from '../database/news.ts'
import { Listener } from '../database/postgresql/listener.ts'

/** Milliseconds. Cached values are used only if notifications were proven to arrive within this time. */
const RECEIVED_MS = 5000

/** Capacity and lifetime of the shelves. A file row takes about half a kilobyte. */
const FILES = { most: 20_000, milliseconds: 30_000 }
const SECRETS = { most: 2000, milliseconds: 5000 }

/** Longest time for which a row is used while the database is away. */
export const STALE_MS = 60_000

interface StateCacheOptions {
  /** URL of the PostgreSQL database. */
  readonly url: string
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/**
 * Cache for rows of a PostgreSQL database on one node. Each write sends a NOTIFY in its own transaction, and all
 * nodes then drop the rows that they have cached. A node that may have missed notifications stops using its
 * cache at most RECEIVED_MS after the last proof that they arrive.
 */
export class StateCache {
  readonly files: Shelf
  readonly owners: Shelf
  readonly tokens: Shelf
  readonly keys: Shelf
  readonly #listener: Listener

  constructor({ url, now = () => performance.now() }: StateCacheOptions) {
    this.#listener = new Listener({
      url,
      now,
      onNews: (news) => this.drop(news),
      onLost: () => this.#distrust(),
    })
    const isUpToDate = () => now() - this.#listener.receivedUntil <= RECEIVED_MS
    this.files = new Shelf({ ...FILES, now, isUpToDate })
    this.owners = new Shelf({ ...FILES, now, isUpToDate })
    this.tokens = new Shelf({ ...SECRETS, now, isUpToDate })
    this.keys = new Shelf({ ...SECRETS, now, isUpToDate })
  }

  /** Drops cached rows that this node has written. Other nodes drop theirs when they receive the notification. */
  drop({ topic, ids }: { readonly topic: News['topic']; readonly ids?: News['ids'] }): void {
    const shelves = topic === 'files' ? [this.files, this.owners] : [this[topic]]
    for (const shelf of shelves) shelf.drop(ids)
  }

  load() {
    const all = [this.files, this.owners, this.tokens, this.keys]
    return {
      stateCacheHits: all.reduce((sum, { hits }) => sum + hits, 0),
      stateCacheMisses: all.reduce((sum, { misses }) => sum + misses, 0),
    }
  }

  close(): Promise<void> {
    return this.#listener.close()
  }

  #distrust(): void {
    this.tokens.drop()
    this.keys.drop()
    // Stale file rows are kept, to be served while the database is away.
    this.files.distrust()
    this.owners.drop()
  }
}

interface ShelfRules {
  readonly most: number
  readonly milliseconds: number
  readonly now: () => number
  /** Returns whether notifications of all writes are sure to arrive. */
  readonly isUpToDate: () => boolean
}

interface Entry {
  readonly value: object
  readonly askedAt: number
  readonly trust: number
}

/** State of a shelf at the time of a database query. */
interface ShelfState {
  readonly at: number
  readonly changes: number
  readonly trust: number
  /** Whether notifications of writes after the query are sure to arrive. */
  readonly wasUpToDate: boolean
}

/** A cache of values whose entries expire. */
export class Shelf {
  hits = 0
  misses = 0
  readonly #rules: ShelfRules
  readonly #entries = new Map<string, Entry>()
  #changes = 0
  #trust = 0

  constructor(rules: ShelfRules) {
    this.#rules = rules
  }

  /** Returns a cached value, if it is as current as one read from the database now. */
  fresh<Value extends object>(key: string): Value | undefined {
    const { now, milliseconds, most, isUpToDate } = this.#rules
    const entry = this.#entries.get(key)
    const isFresh = entry?.trust === this.#trust && now() - entry.askedAt < milliseconds
    if (!entry || !isFresh || !isUpToDate()) {
      this.misses++
      return undefined
    }
    this.hits++
    touch(this.#entries, key, entry, most)
    return entry.value as Value
  }

  /** Returns a recent value that may be out of date. Used while the database is away. */
  stale<Value extends object>(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && this.#rules.now() - entry.askedAt < STALE_MS
      ? (entry.value as Value)
      : undefined
  }

  /** Returns the state of the shelf. Call it before querying the database. */
  asked(): ShelfState {
    const { now, isUpToDate } = this.#rules
    return { at: now(), changes: this.#changes, trust: this.#trust, wasUpToDate: isUpToDate() }
  }

  /** Stores a value read from the database, unless something was written since the query began. */
  keep(key: string, value: object, { at, changes, trust, wasUpToDate }: ShelfState): void {
    const { isUpToDate, most } = this.#rules
    if (!wasUpToDate || changes !== this.#changes || trust !== this.#trust || !isUpToDate()) return
    touch(this.#entries, key, { value, askedAt: at, trust }, most)
  }

  /** Drops the values of these keys. Without keys, drops all values. */
  drop(keys?: readonly string[]): void {
    this.#changes++
    if (!keys) this.#entries.clear()
    for (const key of keys ?? []) this.#entries.delete(key)
  }

  /** Marks all values as stale. */
  distrust(): void {
    this.#trust++
  }
}
