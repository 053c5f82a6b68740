import { sameIdentity } from '../../shared/blobs/identity.ts'
import { onlyOnce } from '../../shared/concurrency/only-once.ts'
import type { Executor } from '../../shared/executor.ts'
import type { BinIndex } from '../../shared/formats/bam-index.ts'
import { type Alignment, indexMemory, openAlignment, readIndex } from './alignment.ts'
import type { AlignmentParts } from './parts.ts'

/** An open file in use. */
export interface Lease {
  readonly alignment: Alignment
  /** Its parsed index, read on first use. */
  index(): Promise<BinIndex>
  /** Gives the file back (idempotent). */
  release(): void
}

interface Entry {
  readonly opened: Promise<Alignment>
  alignment: Alignment | undefined
  index: Promise<BinIndex> | undefined
  indexBytes: number
  /** When its identity was last asked for. */
  checkedAt: number
  users: number
  retired: boolean
}

export interface CacheLimits {
  readonly openFiles: number
  readonly cacheBytes: number
}

/**
 * Keeps files open between slices, at most so many and with at most so much memory; the longest
 * unused go first. A file that has changed is opened anew, while slices under way finish on the one
 * they have.
 */
export class AlignmentCache {
  readonly #executor: Executor
  readonly #limits: CacheLimits
  readonly #onOpen: ((alignment: Alignment) => void) | undefined
  /** By key, in order of use. */
  readonly #entries = new Map<string, Entry>()
  readonly #closing = new Set<Promise<void>>()
  #open = 0

  constructor(executor: Executor, limits: CacheLimits, onOpen?: (alignment: Alignment) => void) {
    this.#executor = executor
    this.#limits = limits
    this.#onOpen = onOpen
  }

  get openFiles(): number {
    return this.#open
  }

  /** @throws EngineError unavailable, corrupt_source or bad_input, as openAlignment does */
  async acquire(parts: AlignmentParts): Promise<Lease> {
    const { key } = parts
    await this.#check(parts)
    const entry = this.#entries.get(key) ?? this.#add(parts)
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.users++
    const release = onlyOnce(() => {
      entry.users--
      this.#dispose(entry)
      this.#trim()
    })
    try {
      const alignment = await entry.opened
      const index = () => {
        entry.index ??= this.#readIndex(entry, alignment)
        return entry.index
      }
      return { alignment, index, release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Forgets the file when it is not what it was. */
  async #check({ key, identity, trustMilliseconds }: AlignmentParts): Promise<void> {
    if (trustMilliseconds > 0) {
      const trusted = this.#entries.get(key)
      if (!trusted || performance.now() - trusted.checkedAt < trustMilliseconds) return
    }
    const now = await identity()
    const known = this.#entries.get(key)
    if (!known?.alignment) return
    if (sameIdentity(known.alignment.identity, now)) known.checkedAt = performance.now()
    else this.forget(key)
  }

  #add(parts: AlignmentParts): Entry {
    const entry: Entry = {
      opened: openAlignment(parts, this.#executor),
      alignment: undefined,
      index: undefined,
      indexBytes: 0,
      checkedAt: performance.now(),
      users: 0,
      retired: false,
    }
    this.#entries.set(parts.key, entry)
    entry.opened.then(
      (alignment) => {
        entry.alignment = alignment
        this.#open++
        this.#onOpen?.(alignment)
      },
      () => {
        // The next caller tries again; the file may have been repaired.
        if (this.#entries.get(parts.key) === entry) this.#entries.delete(parts.key)
      },
    )
    return entry
  }

  async #readIndex(entry: Entry, alignment: Alignment): Promise<BinIndex> {
    try {
      const index = await readIndex(alignment, this.#executor)
      entry.indexBytes = indexMemory(index)
      return index
    } catch (error) {
      entry.index = undefined
      throw error
    }
  }

  /** Drops what is known of a file; slices under way keep it until they end. */
  forget(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    entry.retired = true
    this.#dispose(entry)
  }

  #trim(): void {
    let memory = 0
    for (const entry of this.#entries.values()) {
      memory += (entry.alignment?.memory ?? 0) + entry.indexBytes
    }
    for (const [key, entry] of this.#entries) {
      if (memory <= this.#limits.cacheBytes && this.#entries.size <= this.#limits.openFiles) return
      if (entry.users > 0) continue
      memory -= (entry.alignment?.memory ?? 0) + entry.indexBytes
      this.forget(key)
    }
  }

  #dispose(entry: Entry): void {
    if (!entry.retired || entry.users > 0) return
    const closing = entry.opened
      .then(async ({ blob }) => {
        this.#open--
        await blob.close()
      })
      .catch(() => {})
      .finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  /** Closes unused files now and the others when they are given back. */
  async close(): Promise<void> {
    for (const key of [...this.#entries.keys()]) this.forget(key)
    await Promise.all(this.#closing)
  }
}
