import { Scratch } from '../../../shared/executor.ts'
import { type DescribedFile, DescribedFiles } from '../../files/records/described-files.ts'
import { openGuarding } from '../../files/records/guard-sources.ts'
import type { Release } from '../../release/release.ts'
import type { Releases } from '../../release/releases.ts'

/** Looks up files in the current release of a data folder. Keeps the release open. */
export class ReleaseRecords {
  readonly #release: Release
  readonly #described = new DescribedFiles(new Scratch())

  private constructor(release: Release) {
    this.#release = release
  }

  /**
   * Opens the current release. Returns undefined if there has never been one.
   * @throws EngineError corrupt_source if the release or the pointer to it is damaged; not_found if there are
   *   releases but no pointer
   */
  static async open(releases: Releases): Promise<ReleaseRecords | undefined> {
    const id = await releases.current()
    if (id === undefined) return undefined
    return new ReleaseRecords(await openGuarding(releases.folder(id)))
  }

  /**
   * Returns the records of files, keyed by id. Unknown ids are left out.
   * @param ids in lower case, at most some thousands
   * @throws EngineError corrupt_source if the release is damaged
   */
  async describe(ids: readonly string[]): Promise<ReadonlyMap<string, DescribedFile>> {
    const lease = this.#release.retain()
    try {
      return await this.#described.of(ids, this.#release)
    } finally {
      lease.release()
    }
  }

  async close(): Promise<void> {
    await this.#release.close()
  }
}
