import { onlyOnce } from './only-once.ts'

/** A value in use. */
export interface Leased<Value> {
  readonly value: Value
  /** Gives it back (idempotent). */
  release(): void
  /** Has the next caller open another one; who has this one keeps it until it is given back. */
  forget(): void
}

export interface LeasedCacheRules<Value> {
  /** Values that are kept, and bytes of all of them. Those in use are kept beyond both. */
  readonly entries: number
  readonly bytes: number
  /** Bytes that a value takes now; asked for again whenever one is given back. */
  readonly bytesOf: (value: Value) => number
  /** Called once for each value, when nobody has it or will get it. */
  readonly dispose: (value: Value) => Promise<void>
}

interface Entry<Key, Value> {
  readonly key: Key
  readonly opening: Promise<Value>
  opened: { readonly value: Value } | undefined
  users: number
  /** No longer given out; disposed of as soon as nobody uses it. */
  retired: boolean
}

/**
 * Keeps values that have to be opened and disposed of, such as open files; of too many, the longest
 * unused go first, but none that is in use. Who asks while a value is being opened shares it. A
 * failure to open is not kept.
 */
export class LeasedCache<Key, Value> {
  readonly #rules: LeasedCacheRules<Value>
  /** In order of use. */
  readonly #entries = new Map<Key, Entry<Key, Value>>()
  readonly #disposing = new Set<Promise<void>>()
  #opened = 0

  constructor(rules: LeasedCacheRules<Value>) {
    this.#rules = rules
  }

  /** Values that are open: kept, or in use though forgotten. */
  get opened(): number {
    return this.#opened
  }

  /**
   * The value of a key, opened if it is not kept.
   * @throws what `open` throws
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

  /** The value of a key, if it is kept and has been opened. */
  take(key: Key): Leased<Value> | undefined {
    const entry = this.#entries.get(key)
    return entry?.opened && { value: entry.opened.value, ...this.#use(entry) }
  }

  /** As `take`, for a look: it is not leased and counts as no use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.opened?.value
  }

  /** Counts a user of an entry that is kept, or is to be. */
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
      // The next caller tries again: the cause may have passed.
      () => this.#retire(entry),
    )
    return entry
  }

  /** Has the next caller of this key open it anew; who has the value keeps it until it is given back. */
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
      // Who opened it knows of a failure to open; one to close leaves nothing to be done.
      .catch(() => {})
      .finally(() => this.#disposing.delete(disposing))
    this.#disposing.add(disposing)
  }

  /** Disposes of what nobody uses now, and of the rest as it is given back. */
  async close(): Promise<void> {
    for (const entry of [...this.#entries.values()]) this.#retire(entry)
    await Promise.all(this.#disposing)
  }
}
