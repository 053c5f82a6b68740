import { touch } from '../concurrency/lru-cache.ts'
import type { News } from '../database/news.ts'
import { Listener } from '../database/postgresql/listener.ts'

/** For how long what other nodes told must have been heard for anything cached to be used. */
const HEARD_MS = 5000

/** How many are kept of each, and for how long: rows of files take half a kilobyte. */
const FILES = { most: 20_000, milliseconds: 30_000 }
const SECRETS = { most: 2000, milliseconds: 5000 }

/** For how long a row may be used while the database is away. */
export const STALE_MS = 60_000

export interface StateCacheOptions {
  /** Of the PostgreSQL database. */
  readonly url: string
  /** Milliseconds that never go back. */
  readonly now?: () => number
}

/**
 * What a node keeps for a while of a PostgreSQL database. What is written is told by NOTIFY in the
 * transaction that writes it, and then dropped here. Where a node does not hear that, it uses nothing
 * that it keeps: no later than HEARD_MS after the last proof that it hears.
 */
export class StateCache {
  readonly files: Shelf
  readonly owners: Shelf
  readonly tokens: Shelf
  readonly keys: Shelf
  readonly #listener: Listener

  constructor({ url, now = () => performance.now() }: StateCacheOptions) {
    this.#listener = new Listener({
      ...{ url, now },
      onNews: (news) => this.drop(news),
      onLost: () => this.#distrust(),
    })
    const hears = () => now() - this.#listener.heardUntil <= HEARD_MS
    this.files = new Shelf({ ...FILES, now, hears })
    this.owners = new Shelf({ ...FILES, now, hears })
    this.tokens = new Shelf({ ...SECRETS, now, hears })
    this.keys = new Shelf({ ...SECRETS, now, hears })
  }

  /** Drops what was written: here at once, while other nodes are told. */
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
    // Of use while the database is away.
    this.files.distrust()
    this.owners.drop()
  }
}

interface ShelfRules {
  readonly most: number
  readonly milliseconds: number
  readonly now: () => number
  /** Whether whatever was written would have been heard. */
  readonly hears: () => boolean
}

interface Entry {
  readonly value: object
  readonly askedAt: number
  readonly trust: number
}

/** When the database was asked, and what had been heard by then. */
export interface Asked {
  readonly at: number
  readonly changes: number
  readonly trust: number
  /** Whether what was written from then on would be heard. */
  readonly heard: boolean
}

/** Values by keys, for a while. */
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

  /** A value that may be used as if the database had just given it. */
  fresh<Value extends object>(key: string): Value | undefined {
    const { now, milliseconds, most, hears } = this.#rules
    const entry = this.#entries.get(key)
    const isFresh = entry?.trust === this.#trust && now() - entry.askedAt < milliseconds
    if (!entry || !isFresh || !hears()) {
      this.misses++
      return undefined
    }
    this.hits++
    touch(this.#entries, key, entry, most)
    return entry.value as Value
  }

  /** A value that the database gave not long ago; for when it is away. */
  stale<Value extends object>(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && this.#rules.now() - entry.askedAt < STALE_MS
      ? (entry.value as Value)
      : undefined
  }

  /** To be called before the database is asked. */
  asked(): Asked {
    const { now, hears } = this.#rules
    return { at: now(), changes: this.#changes, trust: this.#trust, heard: hears() }
  }

  /** Keeps what the database gave, unless something was written since it was asked. */
  keep(key: string, value: object, { at, changes, trust, heard }: Asked): void {
    const { hears, most } = this.#rules
    if (!heard || changes !== this.#changes || trust !== this.#trust || !hears()) return
    touch(this.#entries, key, { value, askedAt: at, trust }, most)
  }

  /** Drops what is kept for keys; all of it without any. */
  drop(keys?: readonly string[]): void {
    this.#changes++
    if (!keys) this.#entries.clear()
    for (const key of keys ?? []) this.#entries.delete(key)
  }

  /** Nothing that is kept is fresh any more. */
  distrust(): void {
    this.#trust++
  }
}
