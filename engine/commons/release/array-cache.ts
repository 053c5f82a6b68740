import { SharedArena, wholePages } from './shared-arena.ts'

/** Reads a file into memory that holds exactly its bytes. */
export type ReadInto<File> = (target: Uint8Array<SharedArrayBuffer>) => Promise<File>

interface Entry<File> {
  readonly target: Uint8Array<SharedArrayBuffer> | undefined
  readonly loading: Promise<File>
  /** What was read, when it has been. */
  file: File | undefined
  /** Somebody without a lease has it: it stays. */
  pinned: boolean
}

/** Part of the memory that is kept free, so that what comes next need not wait for a lease to end. */
const RESERVE = 1 / 16

/**
 * Array files in shared memory of a fixed size; those longest unused give way. Memory is used again
 * only when every lease that was held when its file was dropped has ended, so what was got under a
 * lease may be used until that ends. When there is no space, the file is read into memory of its
 * own, which nobody keeps.
 */
export class ArrayCache<File extends object> {
  readonly #arena: SharedArena
  readonly #entries = new Map<string, Entry<File>>()
  /** Dropped, perhaps still in use by leases below a number. */
  #dropped: { readonly target: Uint8Array; readonly below: number }[] = []
  #droppedBytes = 0
  readonly #leases = new Set<number>()
  #nextLease = 0

  /** @param bytes of memory, at most */
  constructor(bytes: number) {
    this.#arena = new SharedArena(bytes)
  }

  /** Memory that there is. */
  get size(): number {
    return this.#arena.size
  }

  /** Memory in use. */
  get bytes(): number {
    return this.#arena.size - this.#arena.freeBytes
  }

  /** Of the files in memory; those that were asked for last come last. */
  keys(): readonly string[] {
    return [...this.#entries.keys()]
  }

  get leases(): number {
    return this.#leases.size
  }

  /** Protects what is got from now on, until the function returned is called. Again does no harm. */
  lease(): () => void {
    const number = this.#nextLease++
    this.#leases.add(number)
    return () => void this.#leases.delete(number)
  }

  /** The file of a key, read by the first who asks for it. A failure is not remembered. */
  get(key: string, bytes: number, read: ReadInto<File>): Promise<File> {
    const entry = this.#entries.get(key) ?? this.#start(key, bytes, read)
    // Newest last.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (this.#leases.size === 0) entry.pinned = true
    return entry.loading
  }

  /** The file of a key, if it is in memory: as `get`, without a turn of waiting. */
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
    // Free memory may lie in chunks that are too short: some more is dropped then.
    for (const goal of target ? [] : [wanted + reserve, 2 * wanted + reserve]) {
      this.#drop(goal)
      target ??= take()
    }
    this.#drop(reserve)
    return target
  }

  /** Drops files until so much is free, or will be when leases have ended. */
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

  /** Takes back what nobody can be using any more. */
  #sweep(): void {
    // In order of their numbers.
    const [oldest = Number.POSITIVE_INFINITY] = this.#leases
    this.#dropped = this.#dropped.filter(({ target, below }) => {
      if (oldest < below) return true
      this.#droppedBytes -= wholePages(target.length)
      this.#arena.give(target)
      return false
    })
  }
}
