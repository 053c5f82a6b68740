import { type FileOwner, IMPORT } from '../../shared/catalogue/file-owners.ts'
import type { FileCatalogue } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'
import type { StoredEntity } from '../transactions/graph.ts'

interface OwnFilesOptions {
  readonly files: FileCatalogue
  /** Returns whether a release contains a file. Its bytes then stay. */
  readonly isReleased: (fileId: string) => Promise<boolean>
}

/** Decides which stored files the entities of a project may add, replace and remove: only their own. */
export class OwnFiles {
  readonly #options: OwnFilesOptions

  constructor(options: OwnFilesOptions) {
    this.#options = options
  }

  /**
   * Reserves the id of an entity for its project, before any bytes are stored.
   * @throws EngineError `already_exists` if the id belongs to another owner or a release
   */
  async claim({ id, projectId }: StoredEntity, md5: string): Promise<void> {
    if (await this.#options.isReleased(id)) {
      const message = `a release speaks of file ${id}, which project ${projectId} has no bytes of`
      throw new EngineError('already_exists', message, { at: 'id' })
    }
    await this.#options.files.owners.claim([{ id, md5 }], projectId)
  }

  /** Returns the file name of an entity's stored bytes, if its project stored them. */
  async fileName({ id, projectId }: Pick<StoredEntity, 'id' | 'projectId'>) {
    const { files } = this.#options
    const isOwn = (await files.owners.of([id])).get(id) === projectId
    return isOwn ? (await files.find(id))?.fileName : undefined
  }

  /**
   * Returns the owner of the bytes under an id if they may be removed for an entity, otherwise undefined.
   * @param entity undefined if it was deleted, in which case its bytes were found removable before
   */
  async removable(id: string, entity: StoredEntity | undefined): Promise<FileOwner | undefined> {
    const { files, isReleased } = this.#options
    const owner = (await files.owners.of([id])).get(id)
    if (owner === undefined || owner === IMPORT) return undefined
    if (entity && entity.projectId !== owner) return undefined
    return (await isReleased(id)) ? undefined : { id, owner }
  }
}
