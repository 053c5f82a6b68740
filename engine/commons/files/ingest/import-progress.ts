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

/** Extents that are written down together: a quarter of a gigabyte, about a second of work. */
const EXTENTES_PER_STEP = 128

/**
 * What an import has done so far, on disk: the rows of the pass over the file, step by step, and
 * the copy. Kept per source file and its identity; one process at a time.
 */
export class ImportProgress {
  readonly #locked: LockedFolder
  readonly #pending: ScanOutput[] = []
  #steps = 0

  private constructor(locked: LockedFolder) {
    this.#locked = locked
  }

  /** @throws EngineError conflict when another process imports the same file now */
  static async open(root: string, path: string, identity: FileIdentity): Promise<ImportProgress> {
    const { size, modified, inode } = identity
    const key = createHash('sha256').update(`${path}\0${size}\0${modified}\0${inode}`).digest('hex')
    const message = 'this file is being imported by another process'
    return new ImportProgress(await lockFolder(join(root, key.slice(0, 32)), message))
  }

  /** Where the copy is made, and whatever else has to be complete before it is put in its place. */
  partPath(name = 'bytes'): string {
    return join(this.#locked.folder, name)
  }

  /** The rows of all earlier steps, up to the first that is missing or damaged. */
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
    if (this.#pending.length < EXTENTES_PER_STEP) return
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

  /** The import is complete: nothing of it is needed any more. */
  async finish(): Promise<void> {
    await this.#locked.remove()
  }

  /** Lets others import the file; what was done stays for the next try. Again does no harm. */
  async close(): Promise<void> {
    this.#locked.close()
  }
}
