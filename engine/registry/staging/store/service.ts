import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import type { Database } from '../../../shared/database/database.ts'
import { inlineExecutor } from '../../../shared/executor.ts'
import type { Issue } from '../../../shared/issue.ts'
import { LineBatches } from '../../ndjson-batch/line-batches.ts'
import { Catalogue } from './catalogue.ts'
import { EditableVersion, type EditNote } from './editable-version.ts'
import type { VersionName } from './entities.ts'
import { type ImportedStaging, type ImportStaging, importStaging } from './import-staging.ts'
import { LoadedVersions } from './loaded-versions.ts'
import { StagingRepository } from './repository.ts'
import { type Caller, requireRole } from './roles.ts'
import type { FindTerms, StagingSources } from './sources.ts'
import { StagingVersion } from './staging-version.ts'
import { VersionAccess } from './version-access.ts'
import { VersionTexts } from './version-text.ts'

export interface StagingOptions {
  /** The database that sharedState opens. @internal */
  readonly state: Database
  readonly clock: () => Date
  /** Returns the current year in four digits. Defaults to the system clock. */
  readonly yearNow?: (() => string) | undefined
  /** Defaults to staging batches on the calling thread. */
  readonly batches?: LineBatches | undefined
  /** Finds terms of the published glossary. If undefined, only terms of the algorithm are found. */
  readonly findTerms?: FindTerms | undefined
  /** Defaults to turns that are not shared. */
  readonly turns?: LoopTurns | undefined
}

/**
 * Staging algorithms: stored, edited and run (registry-service.md 4.1, registry.md 2.1, 2.5, 4, 7).
 * Operations take parsed JSON bodies and return plain JSON in the shapes of registry.md 3. Every edit is
 * durable, together with its history entry, before the call returns.
 *
 * All methods throw EngineError: `not_found` for an algorithm, version or entity that is missing or not
 * visible to the caller, `forbidden` if the caller lacks a role, and `bad_input` naming the member.
 */
export class Staging {
  /** Operations on whole algorithms and versions. */
  readonly catalogue: Catalogue
  readonly #sources: StagingSources

  constructor(options: StagingOptions) {
    const { state, clock, yearNow, batches, findTerms, turns = new LoopTurns() } = options
    const repository = new StagingRepository(state)
    this.#sources = {
      repository,
      access: new VersionAccess(repository),
      loaded: new LoadedVersions(repository, turns, yearNow),
      texts: new VersionTexts(turns),
      batches: batches ?? new LineBatches(inlineExecutor),
      clock,
      findTerms,
      turns,
    }
    this.catalogue = new Catalogue(this.#sources)
  }

  /**
   * Returns a version for reading and staging, for one request. Its first operation checks whether the caller
   * may see it. `latest` is the newest version in production.
   */
  version(caller: Caller, name: VersionName): StagingVersion {
    const find = (version = name.version) =>
      this.#sources.access.readable(caller, { ...name, version })
    return new StagingVersion(this.#sources, find)
  }

  /**
   * Returns a version for editing, for one request. Its first operation checks whether the caller may edit
   * it.
   * @throws EngineError `bad_input` for a comment that is too long
   */
  editableVersion(caller: Caller, name: VersionName, { comment }: EditNote = {}): EditableVersion {
    return new EditableVersion(this.#sources, { caller, name, comment })
  }

  /** Removes a version from the cache. The next access reads and compiles it again. */
  async invalidateCache(caller: Caller, name: VersionName): Promise<void> {
    requireRole(caller, 'STAGING_ADMIN')
    this.#sources.loaded.drop(await this.#sources.access.readable(caller, name))
  }

  /** Reads and compiles a whole version now. */
  async fillCache(caller: Caller, name: VersionName): Promise<void> {
    requireRole(caller, 'STAGING_ADMIN')
    const { access, loaded } = this.#sources
    await this.#sources.turns.run(
      (await loaded.require(await access.readable(caller, name))).fill(),
    )
  }

  /** Imports an archive as a version; see importStaging. */
  import(path: string, run: ImportStaging): Promise<ImportedStaging> {
    return importStaging(this.#sources, path, run)
  }

  /** Yields broken references in all versions. */
  async *check(): AsyncGenerator<Issue> {
    const { repository } = this.#sources
    for (const { algorithm } of await repository.algorithms()) {
      for (const stored of await repository.versions(algorithm)) {
        const findings = await new StagingVersion(this.#sources, async () => stored).findings()
        for (const { kind, id, at, message } of findings) {
          const place = [kind, id, ...(at === undefined ? [] : [at])].join(' ')
          const subject = `staging ${algorithm} ${stored.version} ${place}`
          yield { subject, problem: message }
        }
      }
    }
  }
}
