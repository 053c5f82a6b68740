import { EngineError } from '../../../shared/errors.ts'
import type { VersionName } from './entities.ts'
import { versionMissing } from './missing.ts'
import { newestFirst } from './newest-first.ts'
import type { StagingReads } from './repository.ts'
import { type Caller, hasOneOf, hasRole, type Role, requireOneOf, requireRole } from './roles.ts'
import type { StoredAlgorithm, StoredVersion } from './stored.ts'

/** Returns whether the caller may see a version. Whoever assigns its roles always may. */
export function isSeen(caller: Caller, { viewRoles }: Pick<StoredVersion, 'viewRoles'>): boolean {
  return hasRole(caller, 'STAGING_ADMIN') || hasOneOf(caller, viewRoles)
}

/** Decides which versions a caller may see and edit. */
export class VersionAccess {
  readonly #reads: StagingReads

  /**
   * Creates the access checks.
   * @param reads reads of the current transaction, if there is one, so that decisions still hold at its end
   */
  constructor(reads: StagingReads) {
    this.#reads = reads
  }

  /**
   * Returns an algorithm.
   * @throws EngineError `not_found` if it does not exist
   */
  async algorithm(algorithm: string): Promise<StoredAlgorithm> {
    const found = await this.#reads.algorithm(algorithm)
    if (found) return found
    throw new EngineError('not_found', `Algorithm '${algorithm}' does not exist.`)
  }

  /**
   * Returns a version for reading. `latest` is the newest version in production (registry.md 7.3).
   * @throws EngineError `not_found`, also for a version that the caller may not see
   */
  async readable(caller: Caller, name: VersionName): Promise<StoredVersion> {
    const { algorithm, version } = name
    const found =
      version === 'latest'
        ? (await this.#reads.versions(algorithm))
            .filter((one) => one.type === 'PRODUCTION' && isSeen(caller, one))
            .sort(newestFirst)[0]
        : await this.#reads.version(name)
    if (found && isSeen(caller, found)) return found
    await this.algorithm(algorithm)
    return versionMissing(name)
  }

  /**
   * Returns a version for editing. Its `edit_roles` apply only to its content. They never lock out callers who
   * may change these roles, because otherwise a version could exist that nobody can delete.
   * @throws EngineError `forbidden`, `bad_input` for `latest`, `not_found`
   */
  async editable(caller: Caller, role: Role, name: VersionName): Promise<StoredVersion> {
    requireRole(caller, role)
    if (name.version === 'latest') {
      const message = '"latest" cannot be edited; give the version that it stands for'
      throw new EngineError('bad_input', message, { at: 'version' })
    }
    const found = await this.readable(caller, name)
    if (role !== 'STAGING_ADMIN') requireOneOf(caller, found.editRoles)
    return found
  }
}
