import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readArrays, writeArrays } from '../../../shared/arrays/array-file.ts'
import { typedFacts } from '../../../shared/arrays/array-schema.ts'
import type { FileIdentity } from '../../../shared/blobs/identity.ts'
import { EngineError } from '../../../shared/errors.ts'
import { concatExtents } from '../../slicing/build-directory.ts'
import { SCAN_ARRAYS, SCAN_FACTS, type ScanOutput } from '../../slicing/scan.ts'
import { type LockedFolder, lockFolder } from './import-lock.ts'

/** Number of extents recorded together: about 256 MiB, or a second of work. */
const EXTENTS_PER_STEP = 128

/**
 * Progress of an import on disk: the output of the pass over the file, in steps, and the copy. It is kept per
 * source file and identity, for one process at a time.
 */
export class ImportProgress {
  readonly #locked: LockedFolder
  readonly #pending: ScanOutput[] = []
  #steps = 0

  private constructor(locked: LockedFolder) {
    this.#locked = locked
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

  /** Returns the path for the copy, or for another file that must be complete before it is put in place. */
  partPath(name = 'bytes'): string {
    return join(this.#locked.folder, name)
  }

  /** Returns the output of all earlier steps, up to the first that is missing or damaged. */
  async rows(): Promise<ScanOutput[]> {
    const rows: ScanOutput[] = []
    const names = new Set(await readdir(this.#locked.folder))
    while (names.has(`step-${this.#steps}`)) {
      try {
        const { facts, arrays } = await readArrays(this.#stepPath(this.#steps), SCAN_ARRAYS)
        rows.push({ ...typedFacts(facts, SCAN_FACTS), ...arrays })
      } catch (error) {
        if (!(error instanceof EngineError)) throw error
        break
      }
      this.#steps++
    }
    return rows
  }

  async add(extent: ScanOutput): Promise<void> {
    this.#pending.push(extent)
    if (this.#pending.length < EXTENTS_PER_STEP) return
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
    await this.#locked.remove()
  }

  /** Releases the lock. The progress stays for the next attempt. Repeated calls do nothing. */
  async close(): Promise<void> {
    this.#locked.close()
  }
}
