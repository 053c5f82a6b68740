import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Shared } from '../../../shared/shared.ts'
import type { WorkKind } from '../../../shared/work/kinds.ts'
import { BACKGROUND_PRIORITY } from '../../../shared/work/priority.ts'
import type { TaskInput } from '../../../shared/work/task-store.ts'
import type { TaskRun } from '../../../shared/work/worker.ts'
import { fileStateOf } from './file-state.ts'
import { genePaths, placeGenes } from './gene-file.ts'
import type { FileState } from './open-files.ts'
import { writeGenes } from './write-genes.ts'

export type GeneKeeperContext = Pick<Shared, 'work' | 'files' | 'blobs' | 'executor' | 'report'>

const KIND: WorkKind = 'gene-order'

/**
 * Sorts the numbers of HDF5 files by gene in the background, for files that are requested without them. HDF5
 * files are read by path, so only processes of the data folder do it. A file for which it fails is not tried
 * again until it changes.
 */
export class GeneKeeper {
  readonly #context: GeneKeeperContext
  readonly #onMade: (id: string) => void

  /** @param onMade called with the id of a file that may have numbers by gene now */
  constructor(context: GeneKeeperContext, onMade: (id: string) => void) {
    this.#context = context
    this.#onMade = onMade
    context.work.work(KIND, (input, run) => this.#make(input, run))
  }

  /** Requests that the numbers of a file in this state are sorted, unless that is requested or running. */
  want(id: string, { identity: { size, modified, inode } }: FileState): void {
    const input = { file: id, state: JSON.stringify([size, modified, inode]) }
    this.#context.work.want(KIND, input, { key: id, isLocal: true }, () => this.#onMade(id))
  }

  async #make({ file: id = '' }: TaskInput, { signal }: TaskRun): Promise<void> {
    const { files, blobs, executor, report } = this.#context
    const file = await files.find(id)
    if (file?.storage !== 'folder') return
    const state = await fileStateOf(file, blobs)
    const { numbers, directory } = genePaths(blobs.folder, id)
    const suffix = `${randomUUID()}.part`
    const parts = { numbers: `${numbers}.${suffix}`, directory: `${directory}.${suffix}` }
    const temporaryPath = `${numbers}.sorting.${suffix}`
    const run = { executor, signal, priority: BACKGROUND_PRIORITY, temporaryPath }
    try {
      await writeGenes(state, parts, run)
      await placeGenes(blobs.folder, id, parts)
      report({ level: 'info', message: 'numbers put into the order of genes', fileId: id })
    } finally {
      for (const path of Object.values(parts)) await rm(path, { force: true })
    }
  }
}
