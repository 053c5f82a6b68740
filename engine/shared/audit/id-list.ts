import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../durable.ts'
import { ownedFolder } from '../streams/owned-folder.ts'
import { unlessAbsent } from '../unless-absent.ts'
import { MAX_IDS, type RecordedIds } from './record-line.ts'

/** Number of ids that are held in memory. Up to that many are sorted; more keep their order. */
export const STEP = 10_000
/** Prefix of the folders in which lists are written until they are whole. */
export const LIST_PREFIX = 'list-'

interface ListPlace {
  /** Folder of the record. */
  readonly root: string
  /** Returns the path for a whole list with a SHA-256. */
  readonly pathOf: (sha256: string) => string
  /** Runs `write` unless it is running for the same path. Then waits for that. */
  readonly once: (path: string, write: () => Promise<void>) => Promise<void>
  /** Returns what to throw for an error of the file system. */
  readonly failure: (error: unknown) => unknown
}

const partIn = (folder: string): string => join(folder, 'ids.txt')

/** The ids of one answer. More than STEP go to a file and into its hash as they come. */
export class IdList {
  readonly #place: ListPlace
  readonly #hash = createHash('sha256')
  #held: string[] = []
  #count = 0
  /** Temporary folder of the file. Another process deletes it if this one is killed. */
  #folder: string | undefined
  #file: FileHandle | undefined

  constructor(place: ListPlace) {
    this.#place = place
  }

  /**
   * Adds ids that the list does not have yet, at most some thousand.
   * @throws EngineError `unavailable` if they cannot be written
   */
  add(ids: readonly string[]): Promise<void> {
    return this.#attempt(async () => {
      this.#count += ids.length
      for (const id of ids) this.#held.push(id)
      if (this.#held.length > STEP) await this.#write(this.#nextPiece())
    })
  }

  /**
   * Ends the list. A list of many ids is durable when the promise resolves.
   * @returns the form of the ids in a line; undefined if there are none
   * @throws EngineError `unavailable` if the list cannot be written
   */
  finish(): Promise<RecordedIds | undefined> {
    return this.#attempt(async () => {
      const count = this.#count
      if (count === 0) return undefined
      if (count <= STEP) this.#held.sort()
      if (count <= MAX_IDS) return { count, ids: this.#held }
      const rest = this.#held.length > 0 ? this.#nextPiece() : undefined
      const sha256 = this.#hash.digest('hex')
      const path = this.#place.pathOf(sha256)
      await this.#place.once(path, async () => {
        if (!(await unlessAbsent(stat(path)))) await this.#store(path, rest)
      })
      await this.drop()
      return { count, sha256 }
    })
  }

  /** Deletes what is not a whole list yet. */
  async drop(): Promise<void> {
    await this.#file?.close().catch(() => {})
    this.#file = undefined
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true }).catch(() => {})
  }

  #nextPiece(): Uint8Array {
    const piece = Buffer.from(`${this.#held.join('\n')}\n`)
    this.#held = []
    this.#hash.update(piece)
    return piece
  }

  async #write(piece: Uint8Array): Promise<void> {
    this.#folder ??= await this.#newFolder()
    this.#file ??= await open(partIn(this.#folder), 'wx')
    await this.#file.appendFile(piece)
  }

  async #newFolder(): Promise<string> {
    await mkdir(this.#place.root, { recursive: true })
    return ownedFolder(this.#place.root, LIST_PREFIX)
  }

  async #store(path: string, rest: Uint8Array | undefined): Promise<void> {
    if (rest) await this.#write(rest)
    if (!this.#folder) throw new Error('a list without ids is stored')
    await this.#file?.sync()
    const folder = dirname(path)
    await mkdir(folder, { recursive: true })
    await rename(partIn(this.#folder), path)
    await syncFolder(folder)
  }

  /** Does a step. If it fails, nothing of the list is left. */
  async #attempt<Result>(step: () => Promise<Result>): Promise<Result> {
    try {
      return await step()
    } catch (error) {
      await this.drop()
      throw this.#place.failure(error)
    }
  }
}
