import { EngineError } from '../../../shared/errors.ts'
import type { VersionName } from './entities.ts'
import { versionMissing } from './missing.ts'
import { newestFirst } from './newest-first.ts'
import type { StagingRepository } from './repository.ts'
import { type Caller, hasOneOf, type Role, requireOneOf, requireRole } from './roles.ts'
import type { StoredAlgorithm, StoredVersion } from './stored.ts'

/** Which versions a caller may see and edit. */
export class VersionAccess {
  readonly #repository: StagingRepository

  constructor(repository: StagingRepository) {
    this.#repository = repository
  }

  /** @throws EngineError not_found */
  algorithm(algorithm: string): StoredAlgorithm {
    const found = this.#repository.algorithm(algorithm)
    if (found) return found
    throw new EngineError('not_found', `Algorithm '${algorithm}' does not exist.`)
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
    this.algorithm(algorithm)
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
}
