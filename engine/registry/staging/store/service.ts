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
  /**
   * As sharedState opens it.
   * @internal
   */
  readonly state: Database
  readonly clock: () => Date
  /** The current year in four digits; left out, that of the system's clock. */
  readonly yearNow?: (() => string) | undefined
  /** Left out, batches are staged on the calling thread. */
  readonly batches?: LineBatches | undefined
  /** Left out, texts have the terms of their algorithm alone. */
  readonly findTerms?: FindTerms | undefined
  /** Left out, nothing else shares them. */
  readonly turns?: LoopTurns | undefined
}

/**
 * Staging algorithms: stored, edited and run (registry-service.md 4.1, registry.md 2.1, 2.5, 4, 7).
 * Operations take bodies as they were parsed from JSON, and answer plain JSON in the shapes of
 * registry.md 3. Every edit is durable, with its entry in the history, before it is answered.
 *
 * All throw EngineError: not_found for an algorithm, version or entity that is not there or that the
 * caller may not see, forbidden for a role that the caller lacks, bad_input naming the member.
 */
export class Staging {
  /** Algorithms and versions as wholes. */
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
   * A version to read and to stage by, for one request: whether its caller may see it is decided by
   * its first operation. `latest` is the newest one of production.
   */
  version(caller: Caller, name: VersionName): StagingVersion {
    const find = (version = name.version) =>
      this.#sources.access.readable(caller, { ...name, version })
    return new StagingVersion(this.#sources, find)
  }

  /**
   * A version to edit, for one request: whether its caller may edit it is decided by its first
   * operation.
   * @throws EngineError bad_input for a comment that is too long
   */
  editableVersion(caller: Caller, name: VersionName, { comment }: EditNote = {}): EditableVersion {
    return new EditableVersion(this.#sources, { caller, name, comment })
  }

  /** Drops what is cached of a version: it is read and compiled anew when it is next asked for. */
  async invalidateCache(caller: Caller, name: VersionName): Promise<void> {
    requireRole(caller, 'STAGING_ADMIN')
    this.#sources.loaded.drop(await this.#sources.access.readable(caller, name))
  }

  /** Reads and compiles all of a version now. */
  async fillCache(caller: Caller, name: VersionName): Promise<void> {
    requireRole(caller, 'STAGING_ADMIN')
    const { access, loaded } = this.#sources
    await this.#sources.turns.run(
      (await loaded.require(await access.readable(caller, name))).fill(),
    )
  }

  /** Makes a version be what an archive holds; see importStaging. */
  import(path: string, run: ImportStaging): Promise<ImportedStaging> {
    return importStaging(this.#sources, path, run)
  }

  /** What is wrong with the references of all versions. */
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
