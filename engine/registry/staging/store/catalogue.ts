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
import type { StagingEdits } from './repository.ts'
import { roleDoubts } from './role-doubts.ts'
import { type Caller, type Role, requireRole } from './roles.ts'
import type { StagingSources } from './sources.ts'
import type { StoredAlgorithm, StoredVersion, VersionType } from './stored.ts'
import { isSeen, VersionAccess } from './version-access.ts'

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

  async algorithms(): Promise<StagingAlgorithm[]> {
    return (await this.#sources.repository.algorithms()).map(describeAlgorithm)
  }

  async algorithm(algorithm: string): Promise<StagingAlgorithm> {
    return describeAlgorithm(await this.#sources.access.algorithm(algorithm))
  }

  async createAlgorithm(
    caller: Caller,
    algorithm: string,
    body: unknown,
  ): Promise<StagingAlgorithm> {
    requireRole(caller, 'STAGING_ADMIN')
    checkAlgorithmName(algorithm)
    const stored = storedAlgorithm(algorithm, parseAlgorithmBody(body, algorithm))
    await this.#sources.repository.transaction(async (edits) => {
      if (await edits.algorithm(algorithm)) {
        throw new EngineError('bad_input', `Algorithm '${algorithm}' already exists.`)
      }
      await edits.putAlgorithm(stored)
    })
    return describeAlgorithm(stored)
  }

  async updateAlgorithm(
    caller: Caller,
    algorithm: string,
    body: unknown,
  ): Promise<StagingAlgorithm> {
    requireRole(caller, 'STAGING_ADMIN')
    return this.#sources.repository.transaction(async (edits) => {
      await new VersionAccess(edits).algorithm(algorithm)
      const stored = storedAlgorithm(algorithm, parseAlgorithmBody(body, algorithm))
      await edits.putAlgorithm(stored)
      return describeAlgorithm(stored)
    })
  }

  /** One with versions stays. */
  async deleteAlgorithm(caller: Caller, algorithm: string): Promise<void> {
    requireRole(caller, 'STAGING_ADMIN')
    await this.#sources.repository.transaction(async (edits) => {
      await new VersionAccess(edits).algorithm(algorithm)
      const { length } = await edits.versions(algorithm)
      if (length > 0) {
        const message = `algorithm "${algorithm}" has ${length} versions; delete them first`
        throw new EngineError('bad_input', message)
      }
      await edits.deleteAlgorithm(algorithm)
    })
  }

  /** Those that the caller may see. */
  async versions(caller: Caller, algorithm: string): Promise<StagingAlgorithmVersion[]> {
    const { repository, access } = this.#sources
    await access.algorithm(algorithm)
    const all = await repository.versions(algorithm)
    return all.filter((one) => isSeen(caller, one)).map(describeVersion)
  }

  /** @param warn told of roles that may be otherwise than they were meant */
  async createVersion(
    caller: Caller,
    name: VersionName,
    body: unknown,
    warn?: (sentence: string) => void,
  ): Promise<StagingAlgorithmVersion> {
    requireRole(caller, 'STAGING_ADMIN')
    return this.#sources.repository.transaction(async (edits) => {
      await new VersionAccess(edits).algorithm(name.algorithm)
      checkVersionName(name.version)
      const read = parseVersionBody(body, name)
      if (await edits.version(name)) alreadyThere(name)
      tellDoubts(caller, read, warn)
      return describeVersion(await storeVersion(edits, name, this.#dated(read)))
    })
  }

  /** @param warn as of createVersion */
  async updateVersion(
    caller: Caller,
    name: VersionName,
    body: unknown,
    warn?: (sentence: string) => void,
  ): Promise<StagingAlgorithmVersion> {
    return this.#sources.repository.transaction(async (edits) => {
      const { type } = await new VersionAccess(edits).editable(caller, 'STAGING_ADMIN', name)
      // Published clients know of no types: without one it stays.
      const read = { type, ...parseVersionBody(body, name) }
      tellDoubts(caller, read, warn)
      return describeVersion(await storeVersion(edits, name, this.#dated(read)))
    })
  }

  /** Deletes a version and all that it holds, its history included. */
  async deleteVersion(caller: Caller, name: VersionName): Promise<void> {
    const { repository, loaded } = this.#sources
    await repository.transaction(async (edits) => {
      await new VersionAccess(edits).editable(caller, 'STAGING_ADMIN', name)
      await edits.deleteVersion(name)
    })
    loaded.drop(name)
  }

  /**
   * Copies all of a version but its history; the body names the target. What the body leaves out is
   * as it is in the source.
   */
  async copyVersion(
    caller: Caller,
    name: VersionName,
    body: unknown,
    warn?: (sentence: string) => void,
  ): Promise<void> {
    requireRole(caller, 'STAGING_ADMIN')
    await this.#sources.repository.transaction(async (edits) => {
      const source = await new VersionAccess(edits).readable(caller, name)
      const target = parseCopyBody(body)
      if (!(await edits.algorithm(target.algorithm))) {
        const message = `Algorithm '${target.algorithm}' does not exist.`
        throw new EngineError('bad_input', message, { at: 'algorithm' })
      }
      checkVersionName(target.version)
      if (await edits.version(target)) alreadyThere(target)
      tellDoubts(caller, target, warn)
      const stored = await storeVersion(edits, target, this.#dated(target), source)
      await edits.copyEntities(source, stored)
    })
  }

  #dated(body: VersionBody): DatedVersion {
    return { ...body, lastModified: this.#sources.clock().toISOString() }
  }
}

function tellDoubts(
  caller: Caller,
  roles: VersionBody,
  warn: (sentence: string) => void = () => {},
): void {
  for (const sentence of roleDoubts(caller, roles)) warn(sentence)
}

/** What is said of a version, and when. */
interface DatedVersion extends VersionBody {
  readonly lastModified: string
}

/** Adds or replaces a version inside a transaction. What the body leaves out is inherited. */
export function storeVersion(
  edits: StagingEdits,
  { algorithm, version }: VersionName,
  { type = 'DEVELOPMENT', naaccr_version, view_roles, edit_roles, lastModified }: DatedVersion,
  inherited: Inherited = NOTHING,
): Promise<StoredVersion> {
  return edits.putVersion({
    ...{ algorithm, version, type, lastModified },
    naaccrVersion: naaccr_version ?? inherited.naaccrVersion,
    viewRoles: view_roles ?? inherited.viewRoles,
    editRoles: edit_roles ?? inherited.editRoles,
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
