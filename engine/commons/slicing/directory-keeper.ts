import type { FileIdentity } from '../../shared/blobs/identity.ts'
import type { StoredFile } from '../../shared/catalogue/files.ts'
import type { Shared } from '../../shared/shared.ts'
import type { WorkKind } from '../../shared/work/kinds.ts'
import { BACKGROUND_PRIORITY } from '../../shared/work/priority.ts'
import type { TaskInput } from '../../shared/work/task-store.ts'
import type { TaskRun } from '../../shared/work/worker.ts'
import { openAlignment } from './alignment.ts'
import { makeStoredCrai } from './make-crai.ts'
import { makeStoredDirectory } from './make-directory.ts'
import type { AlignmentParts } from './parts.ts'
import { storedAlignment } from './stored.ts'

/** Compressed bytes per job. A job occupies a thread for only a few milliseconds. */
const BACKGROUND_SCAN_BYTES = 512 * 1024

export type KeeperContext = Pick<Shared, 'work' | 'files' | 'blobs' | 'executor' | 'report'>

const KIND: WorkKind = 'block-directory'

/**
 * Builds missing or outdated block directories of served files in the background, and indexes of CRAM files
 * stored by an earlier version. Any process may do the work. For a file in object storage, one process does it
 * for all nodes. After a failure, a file is not tried again until it changes.
 */
export class DirectoryKeeper {
  readonly #shared: KeeperContext
  readonly #onMade: (key: string) => void

  /** @param onMade called with the key of a file that may have a directory now */
  constructor(shared: KeeperContext, onMade: (key: string) => void) {
    this.#shared = shared
    this.#onMade = onMade
    shared.work.work(KIND, (input, run) => this.#make(input, run))
  }

  /** Requests a block directory for a stored file, unless a process is already building it. */
  want({ key, file }: AlignmentParts, { size, modified, inode }: FileIdentity): void {
    if (!file) return
    const { work } = this.#shared
    const state = JSON.stringify([size, modified, inode])
    const input = { file: file.id, state }
    work.want(KIND, input, { key: file.id, isLocal: file.storage === 'folder' }, () =>
      this.#onMade(key),
    )
  }

  async #make({ file: id = '' }: TaskInput, { signal, progress }: TaskRun): Promise<void> {
    const { files, report } = this.#shared
    const file = await files.find(id)
    // Meanwhile, the file may have been removed, or another process may have built the directory.
    const made = file && (await this.#madeOf(file, { signal, progress }))
    if (!made) return
    const { indexName, fault } = made
    if (indexName !== file.indexName) await files.add({ ...file, indexName })
    if (fault === undefined) return
    report({ level: 'warn', message: `the index of file ${id} was replaced: ${fault}` })
  }

  async #madeOf(file: StoredFile, { signal, progress }: Pick<TaskRun, 'signal' | 'progress'>) {
    const { blobs, executor, report } = this.#shared
    const options = {
      signal,
      priority: BACKGROUND_PRIORITY,
      onProgress: (bytes: number) => progress(Math.min(1, bytes / file.size)),
    }
    if (file.dataFormat === 'CRAM') return makeStoredCrai(file, blobs, { ...options, executor })
    if (await this.#hasDirectory(file)) return undefined
    const scan = { ...options, extentBytes: BACKGROUND_SCAN_BYTES }
    const made = await makeStoredDirectory(file, this.#shared, scan)
    report({ level: 'info', message: 'block directory made' })
    return made
  }

  async #hasDirectory(file: StoredFile): Promise<boolean> {
    const { blobs, executor } = this.#shared
    const { directory, close } = await openAlignment(storedAlignment(blobs, file), executor)
    await close()
    // A directory without record counts comes from an earlier version, which kept imported indexes unchanged.
    return directory?.runRecords !== undefined
  }
}
