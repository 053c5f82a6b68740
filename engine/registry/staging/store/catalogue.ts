import { EngineError } from '../../../shared/errors.ts'
import {
  checkAlgorithmName,
  checkVersionName,
  parseAlgorithmBody,
  parseCopyBody,
  parseVersionBody,
  type VersionBody,
} from './bodies.ts'
import type { VersionName } from './entities.ts'
import { versionMissing } from './missing.ts'
import { newestFirst } from './newest-first.ts'
import type {
  StagingRepository,
  StoredAlgorithm,
  StoredVersion,
  VersionType,
} from './repository.ts'
import { type Caller, hasOneOf, type Role, requireOneOf, requireRole } from './roles.ts'

export interface StagingAlgorithm {
  readonly algorithm: string
  readonly name?: string
  readonly description?: string
}

export interface StagingAlgorithmVersion extends VersionName {
  readonly type: VersionType
  readonly naaccr_version?: string
  readonly view_roles?: readonly Role[]
  readonly edit_roles?: readonly Role[]
  readonly last_modified: string
}

type Inherited = Pick<StoredVersion, 'naaccrVersion' | 'viewRoles' | 'editRoles'>

const NOTHING: Inherited = { naaccrVersion: null, viewRoles: [], editRoles: [] }

/** Which algorithms and versions there are, and who may see and change them. */
export class Catalogue {
  readonly #repository: StagingRepository
  readonly #clock: () => Date

  constructor(repository: StagingRepository, clock: () => Date) {
    this.#repository = repository
    this.#clock = clock
  }

  algorithms(): StagingAlgorithm[] {
    return this.#repository.algorithms().map(algorithmOf)
  }

  algorithm(name: string): StagingAlgorithm {
    return algorithmOf(this.#algorithm(name))
  }

  createAlgorithm(caller: Caller, name: string, body: unknown): StagingAlgorithm {
    requireRole(caller, 'STAGING_ADMIN')
    checkAlgorithmName(name)
    const stored = storedAlgorithm(name, parseAlgorithmBody(body, name))
    this.#repository.transaction(() => {
      if (this.#repository.algorithm(name)) {
        throw new EngineError('bad_input', `Algorithm '${name}' already exists.`)
      }
      this.#repository.putAlgorithm(stored)
    })
    return algorithmOf(stored)
  }

  updateAlgorithm(caller: Caller, name: string, body: unknown): StagingAlgorithm {
    requireRole(caller, 'STAGING_ADMIN')
    return this.#repository.transaction(() => {
      this.#algorithm(name)
      const stored = storedAlgorithm(name, parseAlgorithmBody(body, name))
      this.#repository.putAlgorithm(stored)
      return algorithmOf(stored)
    })
  }

  deleteAlgorithm(caller: Caller, name: string): void {
    requireRole(caller, 'STAGING_ADMIN')
    this.#repository.transaction(() => {
      this.#algorithm(name)
      const { length } = this.#repository.versions(name)
      if (length > 0) {
        const message = `algorithm "${name}" has ${length} versions; delete them first`
        throw new EngineError('bad_input', message)
      }
      this.#repository.deleteAlgorithm(name)
    })
  }

  /** Those that the caller may see. */
  versions(caller: Caller, algorithm: string): StagingAlgorithmVersion[] {
    this.#algorithm(algorithm)
    const all = this.#repository.versions(algorithm)
    return all.filter(({ viewRoles }) => hasOneOf(caller, viewRoles)).map(describeVersion)
  }

  /**
   * The version to be read; `latest` is the newest one of production (registry.md 7.3).
   * @throws EngineError not_found, also for one that the caller may not see
   */
  readable(caller: Caller, name: VersionName): StoredVersion {
    const { algorithm, version } = name
    const found =
      version === 'latest'
        ? this.#repository
            .versions(algorithm)
            .filter(({ type, viewRoles }) => type === 'PRODUCTION' && hasOneOf(caller, viewRoles))
            .sort(newestFirst)[0]
        : this.#repository.version(name)
    if (found && hasOneOf(caller, found.viewRoles)) return found
    this.#algorithm(algorithm)
    return versionMissing(name)
  }

  /**
   * The version to be edited.
   * @throws EngineError forbidden, bad_input for `latest`, not_found
   */
  editable(caller: Caller, role: Role, name: VersionName): StoredVersion {
    requireRole(caller, role)
    if (name.version === 'latest') {
      const message = '"latest" cannot be edited; name the version that it stands for'
      throw new EngineError('bad_input', message, { at: 'version' })
    }
    const found = this.readable(caller, name)
    requireOneOf(caller, found.editRoles)
    return found
  }

  createVersion(caller: Caller, name: VersionName, body: unknown): StagingAlgorithmVersion {
    requireRole(caller, 'STAGING_ADMIN')
    return this.#repository.transaction(() => {
      this.#algorithm(name.algorithm)
      checkVersionName(name.version)
      const read = parseVersionBody(body, name)
      if (this.#repository.version(name)) alreadyThere(name)
      return describeVersion(this.putVersion(name, read))
    })
  }

  /** Adds or replaces a version inside a transaction. What the body leaves out is inherited. */
  putVersion(
    { algorithm, version }: VersionName,
    { type = 'DEVELOPMENT', naaccr_version, view_roles, edit_roles }: VersionBody,
    inherited: Inherited = NOTHING,
  ): StoredVersion {
    return this.#repository.putVersion({
      ...{ algorithm, version, type },
      naaccrVersion: naaccr_version ?? inherited.naaccrVersion,
      viewRoles: view_roles ?? inherited.viewRoles,
      editRoles: edit_roles ?? inherited.editRoles,
      lastModified: this.#clock().toISOString(),
    })
  }

  updateVersion(caller: Caller, name: VersionName, body: unknown): StagingAlgorithmVersion {
    return this.#repository.transaction(() => {
      const { type } = this.editable(caller, 'STAGING_ADMIN', name)
      // Published clients know of no types: without one it stays.
      const read = { type, ...parseVersionBody(body, name) }
      return describeVersion(this.putVersion(name, read))
    })
  }

  deleteVersion(caller: Caller, name: VersionName): void {
    this.#repository.transaction(() => {
      this.editable(caller, 'STAGING_ADMIN', name)
      this.#repository.deleteVersion(name)
    })
  }

  /** Copies all but the history. What the body leaves out is as it is in the source. */
  copy(caller: Caller, name: VersionName, body: unknown): void {
    requireRole(caller, 'STAGING_ADMIN')
    this.#repository.transaction(() => {
      const source = this.readable(caller, name)
      const target = parseCopyBody(body)
      if (!this.#repository.algorithm(target.algorithm)) {
        const message = `Algorithm '${target.algorithm}' does not exist.`
        throw new EngineError('bad_input', message, { at: 'algorithm' })
      }
      checkVersionName(target.version)
      if (this.#repository.version(target)) alreadyThere(target)
      this.#repository.copyEntities(source, this.putVersion(target, target, source))
    })
  }

  #algorithm(name: string): StoredAlgorithm {
    const found = this.#repository.algorithm(name)
    if (found) return found
    throw new EngineError('not_found', `Algorithm '${name}' does not exist.`)
  }
}

function alreadyThere({ algorithm, version }: VersionName): never {
  const message = `Version '${version}' of algorithm '${algorithm}' already exists.`
  throw new EngineError('bad_input', message, { at: 'version' })
}

function storedAlgorithm(
  algorithm: string,
  { name, description }: Partial<StagingAlgorithm>,
): StoredAlgorithm {
  return { algorithm, name: name ?? null, description: description ?? null }
}

function algorithmOf({ algorithm, name, description }: StoredAlgorithm): StagingAlgorithm {
  return {
    algorithm,
    ...(name !== null && { name }),
    ...(description !== null && { description }),
  }
}

/** A version as the interface tells of it (registry.md 3). */
export function describeVersion(stored: StoredVersion): StagingAlgorithmVersion {
  const { algorithm, version, type, naaccrVersion, viewRoles, editRoles, lastModified } = stored
  return {
    ...{ algorithm, version, type },
    ...(naaccrVersion !== null && { naaccr_version: naaccrVersion }),
    ...(viewRoles.length > 0 && { view_roles: viewRoles }),
    ...(editRoles.length > 0 && { edit_roles: editRoles }),
    last_modified: lastModified,
  }
}
