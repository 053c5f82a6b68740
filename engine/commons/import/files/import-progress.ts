import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readArrays, writeArrays } from '../../../shared/arrays/array-file.ts'
import { typedFacts } from '../../../shared/arrays/array-schema.ts'
import { ScratchFile } from '../../../shared/arrays/column-builder.ts'
import type { FileIdentity } from '../../../shared/blobs/identity.ts'
import { EngineError } from '../../../shared/errors.ts'
import { concatExtents } from '../../slicing/build-directory.ts'
import { SCAN_ARRAYS, SCAN_FACTS, type ScanOutput } from '../../slicing/scan.ts'
import { type LockedFolder, lockFolder } from './import-lock.ts'

/** Number of extents recorded together: about 256 MiB, or a second of work. */
const EXTENTS_PER_STEP = 128
/** Number of blocks at which a step ends early, so that tiny blocks do not fill memory: 46 bytes each. */
const BLOCKS_PER_STEP = 250_000

/**
 * Progress of an import on disk: the results of the pass over the file, in steps, and the copy. It is stored per
 * source file and identity. Only one process at a time uses it.
 */
export class ImportProgress {
  readonly #locked: LockedFolder
  /** File for the rows of the block directory, as long as the progress is open. */
  readonly scratch: ScratchFile
  readonly #pending: ScanOutput[] = []
  #pendingBlocks = 0
  #steps = 0

  private constructor(locked: LockedFolder) {
    this.#locked = locked
    this.scratch = new ScratchFile(this.partPath('rows'))
  }

  /**
   * Opens the progress of a file.
   * @throws EngineError conflict if another process is importing the same file
   */
  static async open(root: string, path: string, identity: FileIdentity): Promise<ImportProgress> {
    const { size, modified, inode } = identity
    const key = createHash('sha256').update(`${path}\0${size}\0${modified}\0${inode}`).digest('hex')
    const message = 'this file is being imported by another process'
    return new ImportProgress(await lockFolder(join(root, key.slice(0, 32)), message))
  }

  /** Returns the path for the copy, or for another file that must be complete before it is moved into place. */
  partPath(name = 'bytes'): string {
    return join(this.#locked.folder, name)
  }

  /** Yields the output of all earlier steps, up to the first that is missing or damaged. */
  async *rows(): AsyncGenerator<ScanOutput> {
    const names = new Set(await readdir(this.#locked.folder))
    while (names.has(`step-${this.#steps}`)) {
      const rows = await this.#rowsOf(this.#steps)
      if (!rows) return
      this.#steps++
      yield rows
    }
  }

  async #rowsOf(step: number): Promise<ScanOutput | undefined> {
    try {
      const { facts, arrays } = await readArrays(this.#stepPath(step), SCAN_ARRAYS)
      return { ...typedFacts(facts, SCAN_FACTS), ...arrays }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      return undefined
    }
  }

  async add(extent: ScanOutput): Promise<void> {
    this.#pending.push(extent)
    this.#pendingBlocks += extent.blockOffset.length
    const isFew = this.#pendingBlocks < BLOCKS_PER_STEP
    if (isFew && this.#pending.length < EXTENTS_PER_STEP) return
    this.#pendingBlocks = 0
    const { state, ended, records, unpositioned, unreferenced, ...columns } = concatExtents(
      this.#pending.splice(0),
    )
    const facts = { state, ended, records, unpositioned, unreferenced }
    await writeArrays(this.#stepPath(this.#steps), facts, columns)
    this.#steps++
  }

  #stepPath(step: number): string {
    return this.partPath(`step-${step}`)
  }

  /** Removes the progress of a completed import. */
  async finish(): Promise<void> {
    await this.scratch.close()
    await this.#locked.remove()
  }

  /** Releases the lock. The progress stays for the next attempt. Repeated calls do nothing. */
  async close(): Promise<void> {
    await this.scratch.close()
    this.#locked.close()
  }
}
