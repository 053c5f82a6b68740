import { SharedArena, wholePages } from './shared-arena.ts'

/** Reads a file into memory of exactly its size. */
export type ReadInto<File> = (target: Uint8Array<SharedArrayBuffer>) => Promise<File>

interface Entry<File> {
  readonly target: Uint8Array<SharedArrayBuffer> | undefined
  readonly loading: Promise<File>
  /** The file, once it has been read. */
  file: File | undefined
  /** Set if a caller without a lease has the file, so that the file must stay in memory. */
  pinned: boolean
}

/** Fraction of the memory kept free, so that a new file need not wait for leases to end. */
const RESERVE = 1 / 16

/**
 * Cache of array files in shared memory of a fixed size. Drops the least recently used file first. The memory of
 * a dropped file is reused only after all leases held at that time have ended, so a file obtained under a lease
 * is valid until the lease ends. If there is no space, a file is read into memory of its own and not cached.
 */
export class ArrayCache<File extends object> {
  readonly #arena: SharedArena
  readonly #entries = new Map<string, Entry<File>>()
  /** Dropped files that leases with lower numbers may still use. */
  #dropped: { readonly target: Uint8Array; readonly below: number }[] = []
  #droppedBytes = 0
  readonly #leases = new Set<number>()
  #nextLease = 0

  /**
   * @param bytes limit of the memory
   * @param memory returns the memory, see SharedArena
   */
  constructor(bytes: number, memory?: () => Uint8Array<SharedArrayBuffer>) {
    this.#arena = new SharedArena(bytes, memory)
  }

  /** Total memory in bytes. */
  get size(): number {
    return this.#arena.size
  }

  /** Memory in use, in bytes. */
  get bytes(): number {
    return this.#arena.size - this.#arena.freeBytes
  }

  /** Keys of the cached files, least recently used first. */
  keys(): readonly string[] {
    return [...this.#entries.keys()]
  }

  get leases(): number {
    return this.#leases.size
  }

  /** Protects files obtained from now on until the returned function is called. Repeated calls do nothing. */
  lease(): () => void {
    const number = this.#nextLease++
    this.#leases.add(number)
    return () => void this.#leases.delete(number)
  }

  /** Returns the file with a key. Reads it on the first request. A failure to read is not cached. */
  get(key: string, bytes: number, read: ReadInto<File>): Promise<File> {
    const entry = this.#entries.get(key) ?? this.#start(key, bytes, read)
    // Reinserting the entry makes it the most recently used.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (this.#leases.size === 0) entry.pinned = true
    return entry.loading
  }

  /** Returns the file with a key if it is in memory. Does the same as `get`, but synchronously. */
  ready(key: string): File | undefined {
    const entry = this.#entries.get(key)
    if (!entry?.file) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (this.#leases.size === 0) entry.pinned = true
    return entry.file
  }

  #start(key: string, bytes: number, read: ReadInto<File>): Entry<File> {
    const target = this.#target(bytes)
    const loading = read(target ?? new Uint8Array(new SharedArrayBuffer(bytes)))
    const entry: Entry<File> = { target, loading, file: undefined, pinned: false }
    const forget = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    }
    loading.then(
      (file) => {
        entry.file = file
        if (!target) forget()
      },
      () => {
        forget()
        if (target) this.#arena.give(target)
      },
    )
    return entry
  }

  #target(bytes: number): Uint8Array<SharedArrayBuffer> | undefined {
    const wanted = wholePages(bytes)
    if (wanted > this.#arena.size) return undefined
    this.#sweep()
    const reserve = this.#arena.size * RESERVE
    const take = () => this.#arena.take(bytes)
    let target = take()
    // Free memory may be fragmented, so more is dropped if nothing fits.
    for (const goal of target ? [] : [wanted + reserve, 2 * wanted + reserve]) {
      this.#drop(goal)
      target ??= take()
    }
    this.#drop(reserve)
    return target
  }

  /** Drops files until this many bytes are free, or will be free when leases end. */
  #drop(goal: number): void {
    for (const [key, { target, file, pinned }] of this.#entries) {
      if (this.#arena.freeBytes + this.#droppedBytes >= goal) break
      if (!target || !file || pinned) continue
      this.#entries.delete(key)
      this.#dropped.push({ target, below: this.#nextLease })
      this.#droppedBytes += wholePages(target.length)
    }
    this.#sweep()
  }

  /** Frees the memory of dropped files that no lease can be using any more. */
  #sweep(): void {
    // Leases are in the order of their numbers.
    const [oldest = Number.POSITIVE_INFINITY] = this.#leases
    this.#dropped = this.#dropped.filter(({ target, below }) => {
      if (oldest < below) return true
      this.#droppedBytes -= wholePages(target.length)
      this.#arena.give(target)
      return false
    })
  }
}
