import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { FolderStore } from '../../../shared/blobs/folder-store.ts'
import {
  BACKGROUND_PRIORITY,
  type BackgroundEvents,
  BackgroundWork,
} from '../../../shared/concurrency/background.ts'
import type { Executor } from '../../../shared/executor.ts'
import { genePaths, placeGenes } from './gene-file.ts'
import type { FileState } from './open-files.ts'
import { writeGenes } from './write-genes.ts'

/**
 * Puts the numbers of HDF5 files into the order of genes, one file at a time and in the background,
 * for those that are asked without having them so. A file that fails is not tried again until it
 * changes. Events have the file's id.
 */
export class GeneKeeper {
  readonly #executor: Executor
  readonly #folder: FolderStore
  readonly #work: BackgroundWork

  constructor(executor: Executor, folder: FolderStore, events: BackgroundEvents) {
    this.#executor = executor
    this.#folder = folder
    this.#work = new BackgroundWork(events)
  }

  /** How many files are queued or under way. */
  get queued(): number {
    return this.#work.queued
  }

  /** Queues a file; does nothing when it is known already. */
  want(id: string, state: FileState): void {
    this.#work.want(id, JSON.stringify(state.identity), async (signal) => {
      const { numbers, directory } = genePaths(this.#folder, id)
      const suffix = `${randomUUID()}.part`
      const parts = { numbers: `${numbers}.${suffix}`, directory: `${directory}.${suffix}` }
      const temporaryPath = `${numbers}.sorting.${suffix}`
      const run = { executor: this.#executor, signal, priority: BACKGROUND_PRIORITY, temporaryPath }
      try {
        await writeGenes(state, parts, run)
        await placeGenes(this.#folder, id, parts)
      } finally {
        for (const path of Object.values(parts)) await rm(path, { force: true })
      }
    })
  }

  async close(): Promise<void> {
    await this.#work.close()
  }
}
