import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { damage } from '../blobs/source.ts'
import type { Executor } from '../executor.ts'
import { openAlignment } from './alignment.ts'
import { buildDirectory } from './build-directory.ts'
import { saveDirectory } from './directory.ts'
import type { AlignmentParts } from './parts.ts'

/** Behind everything that a request waits for. */
const BACKGROUND_PRIORITY = 9
/** Compressed bytes per job: a thread is taken for a few milliseconds only. */
const BACKGROUND_SCAN_BYTES = 512 * 1024

export interface KeeperEvents {
  /** Called with the key of the file's parts. */
  readonly onBuilt: (key: string) => void
  readonly onFailed: (key: string, error: unknown) => void
}

/**
 * Makes block directories, one at a time and in the background, for files that are served without a
 * current one. A file that fails is not tried again until it changes.
 */
export class DirectoryKeeper {
  readonly #executor: Executor
  readonly #events: KeeperEvents
  readonly #stop = new AbortController()
  /** Key and identity of what is queued, under way, or has failed. */
  readonly #known = new Set<string>()
  #tail: Promise<void> = Promise.resolve()

  constructor(executor: Executor, events: KeeperEvents) {
    this.#executor = executor
    this.#events = events
  }

  /** Queues a file; does nothing when it is known already. */
  want(parts: AlignmentParts, identity: { readonly modified: string }): void {
    const state = `${parts.key}\0${identity.modified}`
    const { directoryPath } = parts
    if (!directoryPath || this.#known.has(state) || this.#stop.signal.aborted) return
    this.#known.add(state)
    this.#tail = this.#tail.then(async () => {
      try {
        await this.#build(parts, directoryPath)
        this.#known.delete(state)
        this.#events.onBuilt(parts.key)
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#events.onFailed(parts.key, error)
      }
    })
  }

  async #build(parts: AlignmentParts, directoryPath: string): Promise<void> {
    const { signal } = this.#stop
    signal.throwIfAborted()
    const { key, open, identity: identityNow, trustMilliseconds } = parts
    const alone = { key, open, identity: identityNow, trustMilliseconds }
    const opened = await openAlignment(alone, this.#executor)
    const { blob, header, identity } = opened
    try {
      // A directory would take the file for whole: its last records would seem to be all there are.
      if (!opened.complete) throw damage('file has no end marker; it ends', identity.size)
      const directory = await buildDirectory(blob, header, this.#executor, {
        signal,
        priority: BACKGROUND_PRIORITY,
        stretchBytes: BACKGROUND_SCAN_BYTES,
      })
      await mkdir(dirname(directoryPath), { recursive: true })
      await saveDirectory(directoryPath, directory, identity)
    } finally {
      await blob.close()
    }
  }

  /** Resolves when nothing is queued. For tests. */
  async idle(): Promise<void> {
    await this.#tail
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#tail
  }
}
