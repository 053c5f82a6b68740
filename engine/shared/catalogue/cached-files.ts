import { EngineError } from '../errors.ts'
import type { StateCache } from './state-cache.ts'

/** Reads files and their owners from the database. */
interface FileRows<File> {
  findAll(ids: Iterable<string>): Promise<ReadonlyMap<string, File>>
  readonly owners: { of(ids: Iterable<string>): Promise<ReadonlyMap<string, string>> }
}

interface Owner {
  readonly owner: string
}

/** Stored files, cached for requests. Missing files are not cached, because they may be added at any time. */
export class CachedFiles<File extends { readonly access: 'open' | 'controlled' }> {
  readonly #rows: FileRows<File>
  readonly #cache: StateCache | undefined

  constructor(rows: FileRows<File>, cache: StateCache | undefined) {
    this.#rows = rows
    this.#cache = cache
  }

  async find(id: string): Promise<File | undefined> {
    return (await this.findAll([id])).get(id)
  }

  /**
   * Returns the files with these ids. Unknown ids are left out. While the database cannot be reached, open files
   * come from the cache even if their entries are stale. Controlled files do not, because checking their tokens
   * needs the database anyway.
   */
  async findAll(ids: Iterable<string>): Promise<ReadonlyMap<string, File>> {
    const shelf = this.#cache?.files
    if (!shelf) return this.#rows.findAll(ids)
    const asked = shelf.asked()
    const found = new Map<string, File>()
    const missing: string[] = []
    for (const id of ids) {
      const kept = shelf.fresh<File>(id)
      if (kept) found.set(id, kept)
      else missing.push(id)
    }
    if (missing.length === 0) return found
    try {
      for (const [id, file] of await this.#rows.findAll(missing)) {
        shelf.keep(id, file, asked)
        found.set(id, file)
      }
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
      for (const id of missing) {
        const stale = shelf.stale<File>(id)
        if (stale?.access !== 'open') throw error
        found.set(id, stale)
      }
    }
    return found
  }

  /** Returns the owner of a file. */
  async ownerOf(id: string): Promise<string | undefined> {
    const shelf = this.#cache?.owners
    const asked = shelf?.asked()
    const kept = shelf?.fresh<Owner>(id)
    if (kept) return kept.owner
    const owner = (await this.#rows.owners.of([id])).get(id)
    if (asked && owner !== undefined) shelf?.keep(id, { owner }, asked)
    return owner
  }
}
