import { type Caller, hasRole, requireRole } from '../../shared/access/roles.ts'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../shared/errors.ts'
import type { PublishedVersion } from './answers.ts'
import { checkVersionName } from './bodies.ts'
import type { Area, RecordContent, RecordDefinition } from './definition.ts'
import type { PublishingReads, PublishingRepository } from './repository.ts'
import { DEVELOPMENT, LATEST, type StoredVersion } from './stored.ts'

/** Dependencies of the modules of an area. */
export interface PublishingSources<Content extends RecordContent> {
  readonly repository: PublishingRepository
  readonly definition: RecordDefinition<Content>
  readonly clock: () => Date
  readonly turns: LoopTurns
}

/** A version, and what the caller may see of it. */
export interface View {
  readonly version: StoredVersion
  /** Whether the caller sees hidden records and editors' notes. */
  readonly asEditor: boolean
}

/** Names of records in error messages, by area. */
export const NOUNS: Readonly<Record<Area, string>> = Object.freeze({
  rx: 'Rx',
  glossary: 'Glossary',
  disease: 'Disease',
})

/** Manages the versions, and who may see and edit them. */
export class Versions<Content extends RecordContent> {
  readonly #sources: PublishingSources<Content>

  constructor(sources: PublishingSources<Content>) {
    this.#sources = sources
  }

  isEditor(caller: Caller): boolean {
    return hasRole(caller, this.#sources.definition.editor)
  }

  /**
   * Returns a version, and what the caller may see of it.
   * @param reads reads of the current transaction or snapshot, if there is one
   * @throws EngineError `not_found`, also for a version that the caller may not see
   */
  async readable(
    caller: Caller,
    name: string,
    reads: PublishingReads = this.#sources.repository,
  ): Promise<View> {
    const asEditor = this.isEditor(caller)
    const isVisible = asEditor || name === LATEST
    const version = isVisible ? await reads.version(name) : undefined
    if (version) return { version, asEditor }
    throw new EngineError('not_found', `Version '${name}' does not exist.`)
  }

  /**
   * Checks that the caller may edit a version.
   * @throws EngineError `forbidden`, `not_found`; `bad_input` for any version but `development`
   */
  async requireEditable(caller: Caller, name: string): Promise<void> {
    requireRole(caller, this.#sources.definition.editor)
    await this.readable(caller, name)
    if (name === DEVELOPMENT) return
    const message = `"${name}" cannot be edited; name the version "${DEVELOPMENT}"`
    throw new EngineError('bad_input', message, { at: 'version' })
  }

  async list(caller: Caller): Promise<PublishedVersion[]> {
    const asEditor = this.isEditor(caller)
    const { repository } = this.#sources
    const all = await repository.versions()
    const visible = all.filter(({ version }) => asEditor || version === LATEST)
    return Promise.all(visible.map((version) => describe(repository, { version, asEditor })))
  }

  /** Creates a BETA version with the current records of production. */
  async create(caller: Caller, name: string): Promise<PublishedVersion> {
    const { repository, definition, clock } = this.#sources
    requireRole(caller, definition.editor)
    checkVersionName(name)
    return repository.transaction(async (edits) => {
      if (await edits.version(name)) {
        const message = `Version '${name}' already exists.`
        throw new EngineError('bad_input', message, { at: 'name' })
      }
      await edits.addSnapshot(name, clock().toISOString(), await edits.nextRevision())
      return describe(edits, await this.readable(caller, name, edits))
    })
  }

  /** Deletes a BETA version. */
  async delete(caller: Caller, name: string): Promise<void> {
    const { repository, definition } = this.#sources
    requireRole(caller, definition.editor)
    await repository.transaction(async (edits) => {
      const { version } = await this.readable(caller, name, edits)
      if (version.type !== 'BETA') {
        const message = `"${name}" cannot be deleted; name a version of type BETA`
        throw new EngineError('bad_input', message, { at: 'name' })
      }
      await edits.deleteVersion(name)
    })
  }
}

async function describe(
  reads: PublishingReads,
  { version: stored, asEditor }: View,
): Promise<PublishedVersion> {
  const { version, type, firstPublished, lastModified } = stored
  return {
    version,
    ...(asEditor && { type }),
    ...(firstPublished !== null && { first_published: firstPublished }),
    ...(lastModified !== null && { last_modified: lastModified }),
    count: await reads.count(version, { hidden: asEditor }),
  }
}
