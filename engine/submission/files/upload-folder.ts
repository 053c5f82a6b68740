import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../shared/durable.ts'
import { EngineError } from '../../shared/errors.ts'
import { FolderName } from '../../shared/folder-name.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import { WHOLE } from './upload-bytes.ts'

/** With which no file of a part begins. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export type OpenNew = (path: string) => Promise<FileHandle>

const openNew: OpenNew = (path) => open(path, 'wx')

/**
 * Where bytes lie until they are checked: a folder for each upload, with one file for the whole or
 * one for each part. The folder has a name of its own, so that servers which share a database but no
 * folder know whose uploads are whose.
 */
export class UploadFolder {
  readonly #root: string
  readonly #openNew: OpenNew
  readonly #name: FolderName

  /** @param open how a new file is made, for tests of what may fail there */
  constructor(root: string, open: OpenNew = openNew) {
    this.#root = root
    this.#openNew = open
    this.#name = new FolderName(root)
  }

  /** The name of the folder: whoever shares it shares the name. */
  place(): Promise<string> {
    return this.#name.read()
  }

  /** Of the bytes of an upload as one file. */
  wholePath(uploadId: string): string {
    return this.partPath(uploadId, WHOLE)
  }

  partPath(uploadId: string, name: string): string {
    return join(this.#folderOf(uploadId), name)
  }

  /** Makes a file of an upload, and its folder if need be; durable names are `sync`'s. */
  async create(uploadId: string, name: string): Promise<FileHandle> {
    await mkdir(this.#folderOf(uploadId), { recursive: true })
    return this.#openNew(this.partPath(uploadId, name))
  }

  /** Puts the names of an upload's files on the disk. */
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

  /** Uploads that have a folder. */
  async ids(): Promise<readonly string[]> {
    const names = (await unlessAbsent(readdir(this.#root))) ?? []
    return names.filter((name) => ID.test(name))
  }

  /** Files of an upload, and when they were written to, in milliseconds since the epoch. */
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
