import type { Executor } from '../executor.ts'
import type { BinIndex } from '../formats/bam-index.ts'
import {
  type Alignment,
  type AlignmentPaths,
  identityNow,
  indexMemory,
  openAlignment,
  readIndex,
} from './alignment.ts'
import { sameIdentity } from './identity.ts'

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
  users: number
  retired: boolean
}

export interface CacheLimits {
  readonly openFiles: number
  readonly cacheBytes: number
}

/**
 * Keeps files open between slices, at most so many and with at most so much memory; the longest
 * unused go first. A file that has changed on disk is opened anew, while slices under way finish
 * on the one they have.
 */
export class AlignmentCache {
  readonly #executor: Executor
  readonly #limits: CacheLimits
  readonly #onOpen: ((alignment: Alignment) => void) | undefined
  /** By path, in order of use. */
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
  async acquire(paths: AlignmentPaths): Promise<Lease> {
    const identity = await identityNow(paths.path)
    const known = this.#entries.get(paths.path)
    if (known?.alignment && !sameIdentity(known.alignment.identity, identity)) {
      this.forget(paths.path)
    }
    const entry = this.#entries.get(paths.path) ?? this.#add(paths)
    this.#entries.delete(paths.path)
    this.#entries.set(paths.path, entry)
    entry.users++
    let released = false
    const release = () => {
      if (released) return
      released = true
      entry.users--
      this.#dispose(entry)
      this.#trim()
    }
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

  #add(paths: AlignmentPaths): Entry {
    const entry: Entry = {
      opened: openAlignment(paths, this.#executor),
      alignment: undefined,
      index: undefined,
      indexBytes: 0,
      users: 0,
      retired: false,
    }
    this.#entries.set(paths.path, entry)
    entry.opened.then(
      (alignment) => {
        entry.alignment = alignment
        this.#open++
        this.#onOpen?.(alignment)
      },
      () => {
        // The next caller tries again; the file may have been repaired.
        if (this.#entries.get(paths.path) === entry) this.#entries.delete(paths.path)
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
  forget(path: string): void {
    const entry = this.#entries.get(path)
    if (!entry) return
    this.#entries.delete(path)
    entry.retired = true
    this.#dispose(entry)
  }

  #trim(): void {
    let memory = 0
    for (const entry of this.#entries.values()) {
      memory += (entry.alignment?.memory ?? 0) + entry.indexBytes
    }
    for (const [path, entry] of this.#entries) {
      if (memory <= this.#limits.cacheBytes && this.#entries.size <= this.#limits.openFiles) return
      if (entry.users > 0) continue
      memory -= (entry.alignment?.memory ?? 0) + entry.indexBytes
      this.forget(path)
    }
  }

  #dispose(entry: Entry): void {
    if (!entry.retired || entry.users > 0) return
    const closing = entry.opened
      .then(async ({ handle }) => {
        this.#open--
        await handle.close()
      })
      .catch(() => {})
      .finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  /** Closes unused files now and the others when they are given back. */
  async close(): Promise<void> {
    for (const path of [...this.#entries.keys()]) this.forget(path)
    await Promise.all(this.#closing)
  }
}
