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

/** Manages whole algorithms and versions: lists, creates, updates, copies and deletes them. */
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

  /** Deletes an algorithm, which must not have versions. */
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

  /** Returns the versions that the caller may see. */
  async versions(caller: Caller, algorithm: string): Promise<StagingAlgorithmVersion[]> {
    const { repository, access } = this.#sources
    await access.algorithm(algorithm)
    const all = await repository.versions(algorithm)
    return all.filter((one) => isSeen(caller, one)).map(describeVersion)
  }

  /**
   * Creates a version.
   * @param warn called for roles that their author may not have meant
   */
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

  /**
   * Updates a version.
   * @param warn like in createVersion
   */
  async updateVersion(
    caller: Caller,
    name: VersionName,
    body: unknown,
    warn?: (sentence: string) => void,
  ): Promise<StagingAlgorithmVersion> {
    return this.#sources.repository.transaction(async (edits) => {
      const { type } = await new VersionAccess(edits).editable(caller, 'STAGING_ADMIN', name)
      // Published clients do not know types. If the body has none, the version keeps its type.
      const read = { type, ...parseVersionBody(body, name) }
      tellDoubts(caller, read, warn)
      return describeVersion(await storeVersion(edits, name, this.#dated(read)))
    })
  }

  /** Deletes a version with all of its content and history. */
  async deleteVersion(caller: Caller, name: VersionName): Promise<void> {
    const { repository, loaded } = this.#sources
    await repository.transaction(async (edits) => {
      await new VersionAccess(edits).editable(caller, 'STAGING_ADMIN', name)
      await edits.deleteVersion(name)
    })
    loaded.drop(name)
  }

  /** Copies a version without its history. The body names the target. Members that the body lacks are copied. */
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

/** The members of a version with their time. */
interface DatedVersion extends VersionBody {
  readonly lastModified: string
}

/** Adds or replaces a version within a transaction. Members that the body leaves out are inherited. */
export function storeVersion(
  edits: StagingEdits,
  { algorithm, version }: VersionName,
  { type = 'DEVELOPMENT', naaccr_version, view_roles, edit_roles, lastModified }: DatedVersion,
  inherited: Inherited = NOTHING,
): Promise<StoredVersion> {
  return edits.putVersion({
    algorithm,
    version,
    type,
    lastModified,
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

/** Converts a version to the form of the API (registry.md 3). */
export function describeVersion(stored: StoredVersion): StagingAlgorithmVersion {
  const { algorithm, version, type, naaccrVersion, viewRoles, editRoles, lastModified } = stored
  return {
    algorithm,
    version,
    type,
    ...(naaccrVersion !== null && { naaccr_version: naaccrVersion }),
    ...(viewRoles.length > 0 && { view_roles: viewRoles }),
    ...(editRoles.length > 0 && { edit_roles: editRoles }),
    last_modified: lastModified,
  }
}
