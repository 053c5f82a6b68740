import type { Caller } from '../../shared/access/roles.ts'
import { EngineError } from '../../shared/errors.ts'
import { type HeldRevisions, requireHeld } from '../../shared/revision.ts'
import { checkComment } from '../edit-comment.ts'
import { checkEditSize, RECORD_EDIT } from '../edit-size.ts'
import { parsePublishInfo, parseRecordBody } from './bodies.ts'
import type { RecordContent } from './definition.ts'
import { Edit } from './edit.ts'
import type { PublishingEdits } from './repository.ts'
import {
  type Copies,
  isPublished,
  isSame,
  publishCopy,
  type WantedRecord,
  wantedCopy,
} from './states.ts'
import {
  DEVELOPMENT,
  LATEST,
  type StoredCopies,
  type StoredItem,
  type StoredRecord,
} from './stored.ts'
import { NOUNS, type PublishingSources, type Versions } from './versions.ts'

/** The revision that the caller has, and a comment on the edit. */
export interface EditRequest {
  /** Revisions of the record that the caller has seen. Undefined means that any may be edited. */
  readonly held?: HeldRevisions | undefined
  readonly description?: string | undefined
}

interface EditOrder extends EditRequest {
  readonly caller: Caller
  readonly version: string
}

/**
 * The states of records and the transitions between them (registry.md 3.1). Each edit is one transaction,
 * including its changelog entries. Edits are checked against the revision of the development copy, which rises
 * with every change to either copy.
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

  async create(order: EditOrder, body: unknown): Promise<StoredRecord> {
    const wanted = await this.#wanted(order, body)
    const id = wanted.body.id ?? this.#newId()
    return this.#edit(order, async (edit, edits) => {
      if (await edits.item(DEVELOPMENT, id)) {
        this.#reject(`'${id}' already exists.`, 'id')
      }
      return this.#put(edit, id, wanted)
    })
  }

  async update(order: EditOrder, body: unknown): Promise<StoredRecord> {
    const wanted = await this.#wanted(order, body)
    const { id } = wanted.body
    if (id === undefined) {
      const message = '"id" is missing; name the record that is to be updated'
      throw new EngineError('bad_input', message, { at: 'id' })
    }
    return this.#edit(order, async (edit, edits) => {
      const { development } = await this.#copies(edits, order, id)
      return this.#put(edit, id, wanted, development)
    })
  }

  /** Resets the development copy to the published one. */
  reset(order: EditOrder, id: string): Promise<number> {
    return this.#edit(order, async (edit, edits) => {
      const { development: before, production } = await this.#published(edits, order, id)
      if (isSame(before, production)) return before.revision
      const after = { ...production, lastModified: edit.date }
      await edit.store(DEVELOPMENT, { before, after, entry: 'MOD' })
      return edit.revisionOf(id)
    })
  }

  /** Hides or shows the published copy. Nothing else changes. */
  show(order: EditOrder, id: string, hidden: boolean): Promise<number> {
    return this.#edit(order, async (edit, edits) => {
      const { development, production } = await this.#published(edits, order, id)
      if (production.hidden === hidden) return development.revision
      await edit.store(LATEST, {
        before: production,
        after: { ...production, hidden, lastModified: edit.date },
        // A reader of the public changelog sees the record removed or added.
        entry: hidden ? 'DEL' : 'ADD',
      })
      const after = { ...development, hidden }
      await edit.store(DEVELOPMENT, { before: development, after })
      return edit.revisionOf(id)
    })
  }

  /** Publishes all records that the body names, or none. */
  async publish(order: EditOrder, body: unknown): Promise<void> {
    await this.#versions.requireEditable(order.caller, order.version)
    const { ids, description, status, assigned_to } = parsePublishInfo(body)
    await this.#edit({ ...order, description }, async (edit, edits) => {
      const found = await edits.copies(ids)
      const wanted = [...new Set(ids)].map((id) => {
        const copies = this.#held(found.get(id), order, id, 'ids')
        const { development } = copies
        const noted = {
          ...development,
          status: status ?? development.status,
          assignedTo: assigned_to ?? development.assignedTo,
        }
        return { copies, noted }
      })
      const toDo = wanted.filter(({ copies, noted }) => !isPublished(copies, noted))
      await edit.reserve(toDo.length)
      for (const { copies, noted } of toDo) await publishCopy(edit, copies, noted)
    })
  }

  async delete(order: EditOrder, id: string): Promise<void> {
    await this.#edit(order, async (edit, edits) => {
      const { development, production } = await this.#copies(edits, order, id)
      await edit.store(DEVELOPMENT, { before: development, after: undefined, entry: 'DEL' })
      if (!production) return
      await edit.store(LATEST, { before: production, after: undefined, entry: 'DEL' })
    })
  }

  async #edit<Result>(
    { caller, version, description }: EditOrder,
    work: (edit: Edit, edits: PublishingEdits) => Promise<Result>,
  ): Promise<Result> {
    await this.#versions.requireEditable(caller, version)
    checkComment(description, 'description')
    const { repository, clock } = this.#sources
    return repository.transaction(async (edits) => {
      const date = clock().toISOString()
      const edit = new Edit(edits, { user: caller.user, date, description })
      const result = await work(edit, edits)
      await edit.finish()
      return result
    })
  }

  /** Checks permissions before reading the body. */
  async #wanted({ caller, version }: EditOrder, body: unknown): Promise<WantedRecord> {
    await this.#versions.requireEditable(caller, version)
    const { turns } = this.#sources
    await turns.pause()
    checkEditSize(body, RECORD_EDIT)
    await turns.pause()
    return { body: parseRecordBody(body), content: this.#sources.definition.parse(body) }
  }

  async #put(
    edit: Edit,
    id: string,
    wanted: WantedRecord,
    before?: StoredItem | undefined,
  ): Promise<StoredRecord> {
    const after = wantedCopy(id, wanted, { before, date: edit.date })
    await edit.putDocument(after)
    await edit.store(DEVELOPMENT, { before, after, entry: before ? 'MOD' : 'ADD' })
    return { ...after, revision: await edit.revisionOf(id) }
  }

  async #copies(edits: PublishingEdits, request: EditRequest, id: string): Promise<Copies> {
    return this.#held((await edits.copies([id])).get(id), request, id, 'id')
  }

  #held(copies: StoredCopies | undefined, { held }: EditRequest, id: string, at: string): Copies {
    const { development, production } = copies ?? {}
    if (!development) this.#reject(`'${id}' does not exist.`, at)
    requireHeld(held, development.revision)
    return { development, production }
  }

  async #published(
    edits: PublishingEdits,
    request: EditRequest,
    id: string,
  ): Promise<Required<Copies> & { readonly production: StoredItem }> {
    const { development, production } = await this.#copies(edits, request, id)
    if (!production) this.#reject(`'${id}' was never published.`, 'id')
    return { development, production }
  }

  #reject(reason: string, at: string): never {
    const message = `${NOUNS[this.#sources.definition.area]} ${reason}`
    throw new EngineError('bad_input', message, { at })
  }
}
