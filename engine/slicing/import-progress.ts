import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../errors.ts'
import { type NumberArray, readArrays, writeArrays } from '../store/array-file.ts'
import { concatStretches } from './build-directory.ts'
import type { FileIdentity } from './identity.ts'
import type { ScanOutput } from './scan.ts'

/** Stretches that are written down together: a quarter of a gigabyte, about a second of work. */
const STRETCHES_PER_STEP = 128

/**
 * What an import has done so far, on disk: the rows of the pass over the file, step by step, and
 * the copy. Kept per source file and its identity; one process at a time.
 */
export class ImportProgress {
  readonly #folder: string
  readonly #pending: ScanOutput[] = []
  #steps = 0

  private constructor(folder: string) {
    this.#folder = folder
  }

  /** @throws EngineError conflict when another process imports the same file now */
  static async open(root: string, path: string, identity: FileIdentity): Promise<ImportProgress> {
    const { size, modified, inode } = identity
    const key = createHash('sha256').update(`${path}\0${size}\0${modified}\0${inode}`).digest('hex')
    const folder = join(root, key.slice(0, 32))
    await mkdir(folder, { recursive: true })
    await lock(join(folder, 'lock'))
    return new ImportProgress(folder)
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
    await rm(join(this.#folder, 'lock'), { force: true })
  }
}

async function lock(path: string): Promise<void> {
  for (const attempt of ['first', 'second'] as const) {
    try {
      const file = await open(path, 'wx')
      await file.writeFile(String(process.pid))
      await file.close()
      return
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    if (attempt === 'second' || isAlive(Number(await readFile(path, 'utf8').catch(() => '')))) break
    // Left by a process that was killed.
    await rm(path, { force: true })
  }
  throw new EngineError('conflict', 'this file is being imported by another process')
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return pid === process.pid
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
