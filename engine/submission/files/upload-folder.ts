import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../shared/durable.ts'
import { EngineError } from '../../shared/errors.ts'
import { FolderName } from '../../shared/folder-name.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import { WHOLE } from './upload-bytes.ts'

/** Matches the id of an upload, which is the name of its folder. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export type OpenNew = (path: string) => Promise<FileHandle>

const openNew: OpenNew = (path) => open(path, 'wx')

/**
 * Folder for unchecked uploads. Each upload has a subfolder with one file for the whole body, or one per part.
 * The folder has a unique name, by which servers that share a database but not a folder recognise their own
 * uploads.
 */
export class UploadFolder {
  readonly #root: string
  readonly #openNew: OpenNew
  readonly #name: FolderName

  /** @param open creates a new file; tests replace it to simulate errors */
  constructor(root: string, open: OpenNew = openNew) {
    this.#root = root
    this.#openNew = open
    this.#name = new FolderName(root)
  }

  /** Returns the unique name of the folder. */
  place(): Promise<string> {
    return this.#name.read()
  }

  /** Returns the path of an upload that is stored as a single file. */
  wholePath(uploadId: string): string {
    return this.partPath(uploadId, WHOLE)
  }

  partPath(uploadId: string, name: string): string {
    return join(this.#folderOf(uploadId), name)
  }

  /** Creates a file of an upload, and its folder if needed. Its name is durable after `sync`. */
  async create(uploadId: string, name: string): Promise<FileHandle> {
    await mkdir(this.#folderOf(uploadId), { recursive: true })
    return this.#openNew(this.partPath(uploadId, name))
  }

  /** Makes the names of an upload's files durable. */
  async sync(uploadId: string): Promise<void> {
    await syncFolder(this.#folderOf(uploadId))
    await syncFolder(this.#root)
  }

  async removePart(uploadId: string, name: string): Promise<void> {
    await rm(this.partPath(uploadId, name), { force: true })
  }

  async remove(uploadId: string): Promise<void> {
    await rm(this.#folderOf(uploadId), { recursive: true, force: true })
  }

  /** Returns the ids of the uploads that have a folder. */
  async ids(): Promise<readonly string[]> {
    const names = (await unlessAbsent(readdir(this.#root))) ?? []
    return names.filter((name) => ID.test(name))
  }

  /** Returns the files of an upload with their modification times, in milliseconds since the epoch. */
  async files(uploadId: string) {
    const names = (await unlessAbsent(readdir(this.#folderOf(uploadId)))) ?? []
    const found = names.map(async (name) => {
      const stats = await unlessAbsent(stat(this.partPath(uploadId, name)))
      return { name, modified: stats?.mtimeMs ?? 0 }
    })
    return Promise.all(found)
  }

  #folderOf(uploadId: string): string {
    if (ID.test(uploadId)) return join(this.#root, uploadId)
    throw new EngineError('bad_input', 'an upload is not named by a UUID in lower case')
  }
}
