import type { Executor } from '../executor.ts'
import { type AlignmentPaths, openAlignment } from './alignment.ts'
import { buildDirectory } from './build-directory.ts'
import { saveDirectory } from './directory.ts'
import { damage } from './source.ts'

/** Behind everything that a request waits for. */
const BACKGROUND_PRIORITY = 9
/** Compressed bytes per job: a thread is taken for a few milliseconds only. */
const BACKGROUND_SCAN_BYTES = 512 * 1024

export interface KeeperEvents {
  readonly onBuilt: (path: string) => void
  readonly onFailed: (path: string, error: unknown) => void
}

/**
 * Makes block directories, one at a time and in the background, for files that are served without a
 * current one. A file that fails is not tried again until it changes.
 */
export class DirectoryKeeper {
  readonly #executor: Executor
  readonly #events: KeeperEvents
  readonly #stop = new AbortController()
  /** Path and identity of what is queued, under way, or has failed. */
  readonly #known = new Set<string>()
  #tail: Promise<void> = Promise.resolve()

  constructor(executor: Executor, events: KeeperEvents) {
    this.#executor = executor
    this.#events = events
  }

  /** Queues a file; does nothing when it is known already. */
  want(paths: AlignmentPaths, identity: { readonly modified: string }): void {
    const key = `${paths.path}\0${identity.modified}`
    if (!paths.directoryPath || this.#known.has(key) || this.#stop.signal.aborted) return
    this.#known.add(key)
    const { path, directoryPath } = paths
    this.#tail = this.#tail.then(async () => {
      try {
        await this.#build(path, directoryPath)
        this.#known.delete(key)
        this.#events.onBuilt(path)
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#events.onFailed(path, error)
      }
    })
  }

  async #build(path: string, directoryPath: string): Promise<void> {
    const { signal } = this.#stop
    signal.throwIfAborted()
    const opened = await openAlignment({ path }, this.#executor)
    const { handle, source, header, identity } = opened
    try {
      // A directory would take the file for whole: its last records would seem to be all there are.
      if (!opened.complete) throw damage('file has no end marker; it ends', source.size)
      const directory = await buildDirectory(source, header, this.#executor, {
        signal,
        priority: BACKGROUND_PRIORITY,
        stretchBytes: BACKGROUND_SCAN_BYTES,
      })
      await saveDirectory(directoryPath, directory, identity)
    } finally {
      await handle.close()
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
