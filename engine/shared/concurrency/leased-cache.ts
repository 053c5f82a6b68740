import { onlyOnce } from './only-once.ts'

/** A cached value that the caller uses. */
export interface Leased<Value> {
  readonly value: Value
  /** Returns the value to the cache. Further calls do nothing. */
  release(): void
  /** Makes the next caller open a new value. The current value remains valid until it is released. */
  forget(): void
}

interface LeasedCacheRules<Value> {
  /** Maximum number and total size of cached values. Values that are in use may exceed both. */
  readonly entries: number
  readonly bytes: number
  /** Returns the current size of a value in bytes. Called again after each release. */
  readonly bytesOf: (value: Value) => number
  /** Called once for each value, after its last use. */
  readonly dispose: (value: Value) => Promise<void>
}

interface Entry<Key, Value> {
  readonly key: Key
  readonly opening: Promise<Value>
  opened: { readonly value: Value } | undefined
  users: number
  /** Whether the value is retired. A retired value is not leased again, and is disposed of after its last use. */
  retired: boolean
}

/**
 * Caches values that must be opened and disposed of, such as open files. The least recently used value is
 * dropped first, but never while it is in use. Concurrent callers share one opening. If opening fails, the
 * failure is not cached.
 */
export class LeasedCache<Key, Value> {
  readonly #rules: LeasedCacheRules<Value>
  /** Entries, least recently used first. */
  readonly #entries = new Map<Key, Entry<Key, Value>>()
  readonly #disposing = new Set<Promise<void>>()
  #opened = 0

  constructor(rules: LeasedCacheRules<Value>) {
    this.#rules = rules
  }

  /** Number of open values: cached, or retired but still in use. */
  get opened(): number {
    return this.#opened
  }

  /**
   * Returns the value of a key and opens it if needed.
   * @throws the error of `open`
   */
  async acquire(key: Key, open: () => Promise<Value>): Promise<Leased<Value>> {
    const entry = this.#entries.get(key) ?? this.#open(key, open)
    const handles = this.#use(entry)
    try {
      return { value: await entry.opening, ...handles }
    } catch (error) {
      handles.release()
      throw error
    }
  }

  /** Returns the value of a key if it is cached and open. */
  take(key: Key): Leased<Value> | undefined {
    const entry = this.#entries.get(key)
    return entry?.opened && { value: entry.opened.value, ...this.#use(entry) }
  }

  /** Returns the value of a key without leasing it or counting as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.opened?.value
  }

  /** Counts one more user of an entry and moves it to the end of the eviction order. */
  #use(entry: Entry<Key, Value>): Pick<Leased<Value>, 'release' | 'forget'> {
    this.#entries.delete(entry.key)
    this.#entries.set(entry.key, entry)
    entry.users++
    const release = onlyOnce(() => {
      entry.users--
      this.#disposeUnused(entry)
      this.#trim()
    })
    return { release, forget: () => this.#retire(entry) }
  }

  #open(key: Key, open: () => Promise<Value>): Entry<Key, Value> {
    const entry: Entry<Key, Value> = {
      key,
      opening: open(),
      opened: undefined,
      users: 0,
      retired: false,
    }
    entry.opening.then(
      (value) => {
        entry.opened = { value }
        this.#opened++
      },
      // The cause of the failure may be temporary, so the next caller tries again.
      () => this.#retire(entry),
    )
    return entry
  }

  /** Makes the next caller of this key open a new value. Current users keep theirs until they release it. */
  forget(key: Key): void {
    const entry = this.#entries.get(key)
    if (entry) this.#retire(entry)
  }

  #retire(entry: Entry<Key, Value>): void {
    if (entry.retired) return
    entry.retired = true
    this.#entries.delete(entry.key)
    this.#disposeUnused(entry)
  }

  #trim(): void {
    const { entries, bytes: most, bytesOf } = this.#rules
    const sizeOf = ({ opened }: Entry<Key, Value>) => (opened ? bytesOf(opened.value) : 0)
    let bytes = 0
    for (const entry of this.#entries.values()) bytes += sizeOf(entry)
    for (const entry of this.#entries.values()) {
      if (bytes <= most && this.#entries.size <= entries) return
      if (entry.users > 0) continue
      bytes -= sizeOf(entry)
      this.#retire(entry)
    }
  }

  #disposeUnused(entry: Entry<Key, Value>): void {
    if (!entry.retired || entry.users > 0) return
    const disposing = entry.opening
      .then((value) => {
        this.#opened--
        return this.#rules.dispose(value)
      })
      // A failure to open has been reported to the caller of `acquire`. After a failure to close, there is
      // nothing left to do.
      .catch(() => {})
      .finally(() => this.#disposing.delete(disposing))
    this.#disposing.add(disposing)
  }

  /** Disposes of all values that are not in use. The others are disposed of when they are released. */
  async close(): Promise<void> {
    for (const entry of [...this.#entries.values()]) this.#retire(entry)
    await Promise.all(this.#disposing)
  }
}
