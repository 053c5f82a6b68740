import { type Caller, hasRole, requireRole } from '../../shared/access/roles.ts'
import { EngineError } from '../../shared/errors.ts'
import type { PublishedVersion } from './answers.ts'
import { checkVersionName } from './bodies.ts'
import type { Area, RecordContent, RecordDefinition } from './definition.ts'
import type { PublishingRepository } from './repository.ts'
import { DEVELOPMENT, LATEST, type StoredVersion } from './stored.ts'

/** What the modules of an area work with. */
export interface PublishingSources<Content extends RecordContent> {
  readonly repository: PublishingRepository
  readonly definition: RecordDefinition<Content>
  readonly clock: () => Date
}

/** A version and how its caller sees it. */
export interface View {
  readonly version: StoredVersion
  /** Whether what is hidden, and what editors note, is to be seen. */
  readonly asEditor: boolean
}

/** How messages call a record of each area. */
export const NOUNS: Readonly<Record<Area, string>> = Object.freeze({
  rx: 'Rx',
  glossary: 'Glossary',
  disease: 'Disease',
})

/** Which versions there are, and who may see and edit them. */
export class Versions<Content extends RecordContent> {
  readonly #sources: PublishingSources<Content>

  constructor(sources: PublishingSources<Content>) {
    this.#sources = sources
  }

  isEditor(caller: Caller): boolean {
    return hasRole(caller, this.#sources.definition.editor)
  }

  /** @throws EngineError not_found, also for a version that the caller may not see */
  readable(caller: Caller, name: string): View {
    const asEditor = this.isEditor(caller)
    const isVisible = asEditor || name === LATEST
    const version = isVisible ? this.#sources.repository.version(name) : undefined
    if (version) return { version, asEditor }
    throw new EngineError('not_found', `Version '${name}' does not exist.`)
  }

  /** @throws EngineError forbidden, not_found, bad_input for another one than `development` */
  requireEditable(caller: Caller, name: string): void {
    requireRole(caller, this.#sources.definition.editor)
    this.readable(caller, name)
    if (name === DEVELOPMENT) return
    const message = `"${name}" cannot be edited; name the version "${DEVELOPMENT}"`
    throw new EngineError('bad_input', message, { at: 'version' })
  }

  list(caller: Caller): PublishedVersion[] {
    const asEditor = this.isEditor(caller)
    const all = this.#sources.repository.versions()
    const visible = all.filter(({ version }) => asEditor || version === LATEST)
    return visible.map((version) => this.#describe({ version, asEditor }))
  }

  /** Makes a version of type BETA that has what production has now. */
  create(caller: Caller, name: string): PublishedVersion {
    const { repository, definition, clock } = this.#sources
    requireRole(caller, definition.editor)
    checkVersionName(name)
    return repository.transaction(() => {
      if (repository.version(name)) {
        const message = `Version '${name}' already exists.`
        throw new EngineError('bad_input', message, { at: 'name' })
      }
      repository.addSnapshot(name, clock().toISOString(), repository.nextRevision())
      return this.#describe(this.readable(caller, name))
    })
  }

  /** Deletes a version of type BETA. */
  delete(caller: Caller, name: string): void {
    const { repository, definition } = this.#sources
    requireRole(caller, definition.editor)
    repository.transaction(() => {
      const { version } = this.readable(caller, name)
      if (version.type !== 'BETA') {
        const message = `"${name}" cannot be deleted; name a version of type BETA`
        throw new EngineError('bad_input', message, { at: 'name' })
      }
      repository.deleteVersion(name)
    })
  }

  #describe({ version: stored, asEditor }: View): PublishedVersion {
    const { version, type, firstPublished, lastModified } = stored
    return {
      version,
      ...(asEditor && { type }),
      ...(firstPublished !== null && { first_published: firstPublished }),
      ...(lastModified !== null && { last_modified: lastModified }),
      count: this.#sources.repository.count(version, { hidden: asEditor }),
    }
  }
}
