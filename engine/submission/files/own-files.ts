import { type FileOwner, IMPORT } from '../../shared/catalogue/file-owners.ts'
import type { FileCatalogue } from '../../shared/catalogue/files.ts'
import { EngineError } from '../../shared/errors.ts'
import type { StoredEntity } from '../transactions/graph.ts'

interface OwnFilesOptions {
  readonly files: FileCatalogue
  /** Returns whether a release contains a file. The bytes of such a file must not be replaced or removed. */
  readonly isReleased: (fileId: string) => Promise<boolean>
}

/**
 * Decides which stored bytes a project may add, read and remove for its file entities. These are only bytes that
 * the project itself has stored, not those of an import or of another project.
 */
export class OwnFiles {
  readonly #options: OwnFilesOptions

  constructor(options: OwnFilesOptions) {
    this.#options = options
  }

  /**
   * Reserves the id of a file entity for its project, before any bytes are stored.
   * @throws EngineError `already_exists` if the id belongs to another owner, or a release contains the file
   */
  async claim({ id, projectId }: StoredEntity, md5: string): Promise<void> {
    if (await this.#options.isReleased(id)) {
      const message = `file ${id} is in a release, so project ${projectId} cannot store its bytes`
      throw new EngineError('already_exists', message, { at: 'id' })
    }
    await this.#options.files.owners.claim([{ id, md5 }], projectId)
  }

  /** Returns the file name of an entity's stored bytes. Returns undefined if its project has stored none. */
  async fileName({ id, projectId }: Pick<StoredEntity, 'id' | 'projectId'>) {
    const { files } = this.#options
    const isOwn = (await files.owners.of([id])).get(id) === projectId
    return isOwn ? (await files.find(id))?.fileName : undefined
  }

  /**
   * Returns the owner of the bytes with an id, if a project may remove them. Returns undefined for the bytes of
   * an import, of another project, or of a released file.
   * @param entity entity with the id; undefined if it was deleted, so that any project may own the bytes
   */
  async removable(id: string, entity: StoredEntity | undefined): Promise<FileOwner | undefined> {
    const { files, isReleased } = this.#options
    const owner = (await files.owners.of([id])).get(id)
    if (owner === undefined || owner === IMPORT) return undefined
    if (entity && entity.projectId !== owner) return undefined
    return (await isReleased(id)) ? undefined : { id, owner }
  }
}
