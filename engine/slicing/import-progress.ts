import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { EngineError } from '../errors.ts'
import { type NumberArray, readArrays, writeArrays } from '../store/array-file.ts'
import { concatStretches } from './build-directory.ts'
import type { FileIdentity } from './identity.ts'
import type { ScanOutput } from './scan.ts'

/** Stretches that are written down together: a quarter of a gigabyte, about a second of work. */
const STRETCHES_PER_STEP = 128

const SQLITE_BUSY = 5

/**
 * What an import has done so far, on disk: the rows of the pass over the file, step by step, and
 * the copy. Kept per source file and its identity; one process at a time.
 */
export class ImportProgress {
  readonly #folder: string
  readonly #lock: DatabaseSync
  readonly #pending: ScanOutput[] = []
  #steps = 0

  private constructor(folder: string, lock: DatabaseSync) {
    this.#folder = folder
    this.#lock = lock
  }

  /** @throws EngineError conflict when another process imports the same file now */
  static async open(root: string, path: string, identity: FileIdentity): Promise<ImportProgress> {
    const { size, modified, inode } = identity
    const key = createHash('sha256').update(`${path}\0${size}\0${modified}\0${inode}`).digest('hex')
    const folder = join(root, key.slice(0, 32))
    for (;;) {
      await mkdir(folder, { recursive: true })
      const lock = await takeLock(join(folder, 'lock.sqlite'))
      if (lock) return new ImportProgress(folder, lock)
    }
  }

  /** Where the copy is made. */
  get partPath(): string {
    return join(this.#folder, 'bytes')
  }

  /** The rows of all earlier steps, up to the first that is missing or damaged. */
  async rows(): Promise<ScanOutput[]> {
    const rows: ScanOutput[] = []
    const names = new Set(await readdir(this.#folder))
    while (names.has(`step-${this.#steps}`)) {
      try {
        const { facts, arrays } = await readArrays(this.#stepPath(this.#steps))
        rows.push({ ...facts, ...arrays } as unknown as ScanOutput)
      } catch (error) {
        if (!(error instanceof EngineError)) throw error
        break
      }
      this.#steps++
    }
    return rows
  }

  async add(stretch: ScanOutput): Promise<void> {
    this.#pending.push(stretch)
    if (this.#pending.length < STRETCHES_PER_STEP) return
    const { state, ended, records, ...columns } = concatStretches(this.#pending.splice(0))
    const arrays: Record<string, NumberArray> = { ...columns }
    await writeArrays(this.#stepPath(this.#steps), { state, ended, records }, arrays)
    this.#steps++
  }

  #stepPath(step: number): string {
    return join(this.#folder, `step-${step}`)
  }

  /** The import is complete: nothing of it is needed any more. */
  async finish(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Lets others import the file; what was done stays for the next try. */
  async close(): Promise<void> {
    this.#lock.close()
  }
}

/**
 * Takes the lock, or nothing when its last holder finished and removed it meanwhile. It is a lock
 * of the system on an empty database, so it ends with its process however that ends, and it does
 * not matter whether another process has got the same number since.
 * @throws EngineError conflict when it is held
 */
async function takeLock(path: string): Promise<DatabaseSync | undefined> {
  const lock = new DatabaseSync(path)
  try {
    const opened = await inodeOf(path)
    lock.exec('BEGIN EXCLUSIVE')
    if (opened !== undefined && opened === (await inodeOf(path))) return lock
  } catch (cause) {
    lock.close()
    if (!(cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY))
      throw cause
    throw new EngineError('conflict', 'this file is being imported by another process', { cause })
  }
  lock.close()
  return undefined
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  return stat(path, { bigint: true }).then(
    ({ ino }) => ino,
    () => undefined,
  )
}
