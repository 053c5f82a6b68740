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
 * Makes copies of HDF5 files sorted by gene in the background, for requested files that have no copy. HDF5 files
 * are opened by path, so only processes with access to the data folder do this. After a failure, a file is not
 * tried again until it changes.
 */
export class GeneKeeper {
  readonly #context: GeneKeeperContext
  readonly #onMade: (id: string) => void

  /** @param onMade called with the id of a file when its copy may have been made */
  constructor(context: GeneKeeperContext, onMade: (id: string) => void) {
    this.#context = context
    this.#onMade = onMade
    context.work.work(KIND, (input, run) => this.#make(input, run))
  }

  /** Schedules making the copy for this state of a file, unless that is already scheduled or running. */
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
