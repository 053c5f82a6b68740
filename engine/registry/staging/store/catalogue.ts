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
import { type Caller, hasOneOf, type Role, requireRole } from './roles.ts'
import type { StagingSources } from './sources.ts'
import type { StoredAlgorithm, StoredVersion, VersionType } from './stored.ts'

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

type CatalogueSources = Pick<StagingSources, 'repository' | 'access' | 'loaded' | 'clock'>

/** Algorithms and versions as wholes: listed, made, changed, copied, deleted. */
export class Catalogue {
  readonly #sources: CatalogueSources

  constructor(sources: CatalogueSources) {
    this.#sources = sources
  }

  algorithms(): StagingAlgorithm[] {
    return this.#sources.repository.algorithms().map(describeAlgorithm)
  }

  algorithm(algorithm: string): StagingAlgorithm {
    return describeAlgorithm(this.#sources.access.algorithm(algorithm))
  }

  createAlgorithm(caller: Caller, algorithm: string, body: unknown): StagingAlgorithm {
    requireRole(caller, 'STAGING_ADMIN')
    checkAlgorithmName(algorithm)
    const stored = storedAlgorithm(algorithm, parseAlgorithmBody(body, algorithm))
    const { repository } = this.#sources
    repository.transaction(() => {
      if (repository.algorithm(algorithm)) {
        throw new EngineError('bad_input', `Algorithm '${algorithm}' already exists.`)
      }
      repository.putAlgorithm(stored)
    })
    return describeAlgorithm(stored)
  }

  updateAlgorithm(caller: Caller, algorithm: string, body: unknown): StagingAlgorithm {
    requireRole(caller, 'STAGING_ADMIN')
    const { repository, access } = this.#sources
    return repository.transaction(() => {
      access.algorithm(algorithm)
      const stored = storedAlgorithm(algorithm, parseAlgorithmBody(body, algorithm))
      repository.putAlgorithm(stored)
      return describeAlgorithm(stored)
    })
  }

  /** One with versions stays. */
  deleteAlgorithm(caller: Caller, algorithm: string): void {
    requireRole(caller, 'STAGING_ADMIN')
    const { repository, access } = this.#sources
    repository.transaction(() => {
      access.algorithm(algorithm)
      const { length } = repository.versions(algorithm)
      if (length > 0) {
        const message = `algorithm "${algorithm}" has ${length} versions; delete them first`
        throw new EngineError('bad_input', message)
      }
      repository.deleteAlgorithm(algorithm)
    })
  }

  /** Those that the caller may see. */
  versions(caller: Caller, algorithm: string): StagingAlgorithmVersion[] {
    const { repository, access } = this.#sources
    access.algorithm(algorithm)
    const all = repository.versions(algorithm)
    return all.filter(({ viewRoles }) => hasOneOf(caller, viewRoles)).map(describeVersion)
  }

  createVersion(caller: Caller, name: VersionName, body: unknown): StagingAlgorithmVersion {
    requireRole(caller, 'STAGING_ADMIN')
    const { repository, access } = this.#sources
    return repository.transaction(() => {
      access.algorithm(name.algorithm)
      checkVersionName(name.version)
      const read = parseVersionBody(body, name)
      if (repository.version(name)) alreadyThere(name)
      return describeVersion(storeVersion(this.#sources, name, read))
    })
  }

  updateVersion(caller: Caller, name: VersionName, body: unknown): StagingAlgorithmVersion {
    const { repository, access } = this.#sources
    return repository.transaction(() => {
      const { type } = access.editable(caller, 'STAGING_ADMIN', name)
      // Published clients know of no types: without one it stays.
      const read = { type, ...parseVersionBody(body, name) }
      return describeVersion(storeVersion(this.#sources, name, read))
    })
  }

  /** Deletes a version and all that it holds, its history included. */
  deleteVersion(caller: Caller, name: VersionName): void {
    const { repository, access, loaded } = this.#sources
    repository.transaction(() => {
      access.editable(caller, 'STAGING_ADMIN', name)
      repository.deleteVersion(name)
    })
    loaded.drop(name)
  }

  /**
   * Copies all of a version but its history; the body names the target. What the body leaves out is
   * as it is in the source.
   */
  copyVersion(caller: Caller, name: VersionName, body: unknown): void {
    requireRole(caller, 'STAGING_ADMIN')
    const { repository, access } = this.#sources
    repository.transaction(() => {
      const source = access.readable(caller, name)
      const target = parseCopyBody(body)
      if (!repository.algorithm(target.algorithm)) {
        const message = `Algorithm '${target.algorithm}' does not exist.`
        throw new EngineError('bad_input', message, { at: 'algorithm' })
      }
      checkVersionName(target.version)
      if (repository.version(target)) alreadyThere(target)
      const stored = storeVersion(this.#sources, target, target, source)
      repository.copyEntities(source, stored)
    })
  }
}

/** Adds or replaces a version inside a transaction. What the body leaves out is inherited. */
export function storeVersion(
  { repository, clock }: Pick<StagingSources, 'repository' | 'clock'>,
  { algorithm, version }: VersionName,
  { type = 'DEVELOPMENT', naaccr_version, view_roles, edit_roles }: VersionBody,
  inherited: Inherited = NOTHING,
): StoredVersion {
  return repository.putVersion({
    ...{ algorithm, version, type },
    naaccrVersion: naaccr_version ?? inherited.naaccrVersion,
    viewRoles: view_roles ?? inherited.viewRoles,
    editRoles: edit_roles ?? inherited.editRoles,
    lastModified: clock().toISOString(),
  })
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

function describeAlgorithm({ algorithm, name, description }: StoredAlgorithm): StagingAlgorithm {
  return {
    algorithm,
    ...(name !== null && { name }),
    ...(description !== null && { description }),
  }
}

/** A version as the interface answers it (registry.md 3). */
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
