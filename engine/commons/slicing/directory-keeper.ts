import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { damage } from '../../shared/blobs/source.ts'
import {
  BACKGROUND_PRIORITY,
  type BackgroundEvents,
  BackgroundWork,
} from '../../shared/concurrency/background.ts'
import type { Executor } from '../../shared/executor.ts'
import { openAlignment } from './alignment.ts'
import { buildDirectory } from './build-directory.ts'
import { saveDirectory } from './directory.ts'
import type { AlignmentParts } from './parts.ts'

/** Compressed bytes per job: a thread is taken for a few milliseconds only. */
const BACKGROUND_SCAN_BYTES = 512 * 1024

/**
 * Makes block directories, one at a time and in the background, for files that are served without a
 * current one. A file that fails is not tried again until it changes. Events have the key of the
 * file's parts.
 */
export class DirectoryKeeper {
  readonly #executor: Executor
  readonly #work: BackgroundWork

  constructor(executor: Executor, events: BackgroundEvents) {
    this.#executor = executor
    this.#work = new BackgroundWork(events)
  }

  /** How many files are queued or under way. */
  get queued(): number {
    return this.#work.queued
  }

  /** Queues a file; does nothing when it is known already. */
  want(parts: AlignmentParts, identity: { readonly modified: string }): void {
    const { key, directoryPath } = parts
    if (!directoryPath) return
    this.#work.want(key, identity.modified, (signal) => this.#build(parts, directoryPath, signal))
  }

  async #build(parts: AlignmentParts, directoryPath: string, signal: AbortSignal): Promise<void> {
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
        extentBytes: BACKGROUND_SCAN_BYTES,
      })
      await mkdir(dirname(directoryPath), { recursive: true })
      await saveDirectory(directoryPath, directory, identity)
    } finally {
      await blob.close()
    }
  }

  /** Resolves when nothing is queued. For tests. */
  async idle(): Promise<void> {
    await this.#work.idle()
  }

  async close(): Promise<void> {
    await this.#work.close()
  }
}
