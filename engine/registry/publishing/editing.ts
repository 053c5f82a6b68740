import type { Caller } from '../../shared/access/roles.ts'
import { EngineError } from '../../shared/errors.ts'
import { type HeldRevisions, requireHeld } from '../../shared/revision.ts'
import { checkComment } from '../edit-comment.ts'
import { parsePublishInfo, parseRecordBody } from './bodies.ts'
import type { RecordContent } from './definition.ts'
import { Edit } from './edit.ts'
import { type Copies, isSame, publishCopy, type WantedRecord, wantedCopy } from './states.ts'
import { DEVELOPMENT, LATEST, type StoredItem, type StoredRecord } from './stored.ts'
import { NOUNS, type PublishingSources, type Versions } from './versions.ts'

/** What the caller of an edit takes for current and says about it. */
export interface EditRequest {
  readonly held?: HeldRevisions | undefined
  readonly description?: string | undefined
}

export interface EditOrder extends EditRequest {
  readonly caller: Caller
  readonly version: string
}

/**
 * The states of records and the paths between them (registry.md 3.1). Each edit is one transaction
 * with its entries in the changelogs. The copy in development bears the revision that edits are
 * held to: it is raised by whatever is done to either copy.
 */
export class Editing<Content extends RecordContent> {
  readonly #sources: PublishingSources<Content>
  readonly #versions: Versions<Content>
  readonly #newId: () => string

  constructor(
    sources: PublishingSources<Content>,
    versions: Versions<Content>,
    newId: () => string,
  ) {
    this.#sources = sources
    this.#versions = versions
    this.#newId = newId
  }

  create(order: EditOrder, body: unknown): StoredRecord {
    const wanted = this.#wanted(order, body)
    const id = wanted.body.id ?? this.#newId()
    return this.#edit(order, (edit) => {
      if (this.#sources.repository.item(DEVELOPMENT, id)) {
        this.#reject(`'${id}' already exists.`, 'id')
      }
      return this.#put(edit, id, wanted)
    })
  }

  update(order: EditOrder, body: unknown): StoredRecord {
    const wanted = this.#wanted(order, body)
    const { id } = wanted.body
    if (id === undefined) {
      const message = '"id" is missing; name the record that is to be updated'
      throw new EngineError('bad_input', message, { at: 'id' })
    }
    return this.#edit(order, (edit) => {
      const { development } = this.#copies(order, id)
      return this.#put(edit, id, wanted, development)
    })
  }

  /** Makes the copy in development what is published. */
  reset(order: EditOrder, id: string): number {
    return this.#edit(order, (edit) => {
      const { development: before, production } = this.#published(order, id)
      if (isSame(before, production)) return before.revision
      const after = { ...production, lastModified: edit.date }
      edit.store(DEVELOPMENT, { before, after, entry: 'MOD' })
      return edit.revisionOf(id)
    })
  }

  /** Takes the published copy from sight, or back into it; nothing else of it changes. */
  show(order: EditOrder, id: string, hidden: boolean): number {
    return this.#edit(order, (edit) => {
      const { development, production } = this.#published(order, id)
      if (production.hidden === hidden) return development.revision
      edit.store(LATEST, {
        before: production,
        after: { ...production, hidden, lastModified: edit.date },
        // Whoever follows the changelog of what can be seen loses the record, or gets it back.
        entry: hidden ? 'DEL' : 'ADD',
      })
      edit.store(DEVELOPMENT, { before: development, after: { ...development, hidden } })
      return edit.revisionOf(id)
    })
  }

  /** Publishes all of the records that the body names, or none. */
  publish(order: EditOrder, body: unknown): void {
    this.#versions.requireEditable(order.caller, order.version)
    const { ids, description, status, assigned_to } = parsePublishInfo(body)
    this.#edit({ ...order, description }, (edit) => {
      for (const id of new Set(ids)) {
        const { development, production } = this.#copies(order, id, 'ids')
        const noted = {
          ...development,
          status: status ?? development.status,
          assignedTo: assigned_to ?? development.assignedTo,
        }
        publishCopy(edit, { development, production }, noted)
      }
    })
  }

  delete(order: EditOrder, id: string): void {
    this.#edit(order, (edit) => {
      const { development, production } = this.#copies(order, id)
      edit.store(DEVELOPMENT, { before: development, after: undefined, entry: 'DEL' })
      if (production) edit.store(LATEST, { before: production, after: undefined, entry: 'DEL' })
    })
  }

  #edit<Result>({ caller, version, description }: EditOrder, work: (edit: Edit) => Result): Result {
    this.#versions.requireEditable(caller, version)
    checkComment(description, 'description')
    const { repository, clock } = this.#sources
    return repository.transaction(() => {
      const date = clock().toISOString()
      const edit = new Edit(repository, { user: caller.user, date, description })
      const result = work(edit)
      edit.finish()
      return result
    })
  }

  /** Refuses before the body is looked at. */
  #wanted({ caller, version }: EditOrder, body: unknown): WantedRecord {
    this.#versions.requireEditable(caller, version)
    return { body: parseRecordBody(body), content: this.#sources.definition.parse(body) }
  }

  #put(
    edit: Edit,
    id: string,
    wanted: WantedRecord,
    before?: StoredItem | undefined,
  ): StoredRecord {
    const after = wantedCopy(id, wanted, { before, date: edit.date })
    edit.putDocument(after)
    edit.store(DEVELOPMENT, { before, after, entry: before ? 'MOD' : 'ADD' })
    return { ...after, revision: edit.revisionOf(id) }
  }

  #copies({ held }: EditRequest, id: string, at = 'id'): Copies {
    const { repository } = this.#sources
    const development = repository.item(DEVELOPMENT, id)
    if (!development) this.#reject(`'${id}' does not exist.`, at)
    requireHeld(held, development.revision)
    return { development, production: repository.item(LATEST, id) }
  }

  #published(
    request: EditRequest,
    id: string,
  ): Required<Copies> & { readonly production: StoredItem } {
    const { development, production } = this.#copies(request, id)
    if (!production) this.#reject(`'${id}' was never published.`, 'id')
    return { development, production }
  }

  #reject(reason: string, at: string): never {
    const message = `${NOUNS[this.#sources.definition.area]} ${reason}`
    throw new EngineError('bad_input', message, { at })
  }
}
