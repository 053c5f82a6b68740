import { type FileOwner, IMPORT } from '../../shared/catalogue/file-owners.ts'
import type { FileCatalogue } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'
import type { StoredEntity } from '../transactions/graph.ts'

export interface OwnFilesOptions {
  readonly files: FileCatalogue
  /** Whether a release speaks of a file, whose bytes stay then. */
  readonly isReleased: (fileId: string) => Promise<boolean>
}

/** What entities of projects may do to stored files: put, replace and remove their own ones. */
export class OwnFiles {
  readonly #options: OwnFilesOptions

  constructor(options: OwnFilesOptions) {
    this.#options = options
  }

  /**
   * Takes the id of an entity for its project, before any of its bytes is put there.
   * @throws EngineError `already_exists` when somebody else's are, or a release speaks of the id
   */
  async claim({ id, projectId }: StoredEntity, md5: string): Promise<void> {
    if (await this.#options.isReleased(id)) {
      const message = `a release speaks of file ${id}, which project ${projectId} has no bytes of`
      throw new EngineError('already_exists', message, { at: 'id' })
    }
    await this.#options.files.owners.claim([{ id, md5 }], projectId)
  }

  /** What the stored bytes of an entity are called, if its project stored them. */
  async fileName({ id, projectId }: Pick<StoredEntity, 'id' | 'projectId'>) {
    const { files } = this.#options
    const isOwn = (await files.owners.of([id])).get(id) === projectId
    return isOwn ? (await files.find(id))?.fileName : undefined
  }

  /**
   * Whose the bytes under an id are, when they may be removed for an entity.
   * @param entity absent when it was deleted: after it was seen that the bytes are to go
   */
  async removable(id: string, entity: StoredEntity | undefined): Promise<FileOwner | undefined> {
    const { files, isReleased } = this.#options
    const owner = (await files.owners.of([id])).get(id)
    if (owner === undefined || owner === IMPORT) return undefined
    if (entity && entity.projectId !== owner) return undefined
    return (await isReleased(id)) ? undefined : { id, owner }
  }
}
