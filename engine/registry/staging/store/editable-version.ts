import { EngineError } from '../../../shared/errors.ts'
import { type HeldRevisions, requireHeld } from '../../../shared/revision.ts'
import { checkComment } from '../../edit-comment.ts'
import { checkEditSize, STAGING_EDIT } from '../../edit-size.ts'
import { PARSED, parseBatchBody, parseHistoryNumber } from './bodies.ts'
import {
  type Applied,
  type AppliedChange,
  applyEdits,
  type Edit,
  type EditOptions,
} from './edits.ts'
import type { EntityOf, SchemaOrTable, VersionName } from './entities.ts'
import type { EntityAtRevision, LoadedVersion } from './loaded-version.ts'
import { missing } from './missing.ts'
import type { Caller } from './roles.ts'
import type { StagingSources } from './sources.ts'
import type { StoredVersion } from './stored.ts'
import { VersionAccess } from './version-access.ts'

export interface EntityNames {
  readonly schemas: readonly string[]
  readonly tables: readonly string[]
}

/** The changes of a batch. Entities that did not change are not listed. */
export interface BatchResult {
  readonly added: EntityNames
  readonly changed: EntityNames
  readonly deleted: EntityNames
}

/** An editor's note on an edit. */
export interface EditNote {
  /** Comment that is stored in the history. */
  readonly comment?: string | undefined
}

/** The editor, the version and the note of an edit. */
interface EditOrder extends EditNote {
  readonly caller: Caller
  readonly name: VersionName
}

/**
 * A version of an algorithm that a caller may edit, for one request. Each edit is one transaction, including its
 * history entries, and has no effect if the caller has lost the right to edit meanwhile.
 *
 * All methods throw EngineError: `forbidden`; `not_found` for the version or an entity; `bad_input` for
 * `latest`, or naming the member; `too_large` for more than is stored at a time; `too_many` for a schema whose
 * mappings reach too much; `precondition_failed` if an entity has a revision that the caller does not have.
 */
export class EditableVersion {
  readonly #sources: StagingSources
  readonly #order: EditOrder
  #decided: Promise<StoredVersion> | undefined

  /**
   * Creates an editable version.
   * @throws EngineError `bad_input` for a comment that is too long
   */
  constructor(sources: StagingSources, order: EditOrder) {
    checkComment(order.comment, 'comment')
    this.#sources = sources
    this.#order = order
  }

  async createEntity<K extends SchemaOrTable>(
    kind: K,
    body: unknown,
  ): Promise<EntityAtRevision<EntityOf[K]>> {
    await this.#decideOn(body)
    const entity = PARSED[kind](body)
    const { id } = entity
    const check = (before: LoadedVersion) => {
      if (!before.entry(kind, id)) return
      const message = `${kind === 'schema' ? 'Schema' : 'Table'} '${id}' already exists.`
      throw new EngineError('bad_input', message, { at: 'id' })
    }
    return this.#put({ kind, id, entity }, { check })
  }

  /**
   * Updates a schema or table.
   * @param held revisions that the editor has seen
   */
  async updateEntity<K extends SchemaOrTable>(
    kind: K,
    id: string,
    body: unknown,
    held?: HeldRevisions,
  ): Promise<EntityAtRevision<EntityOf[K]>> {
    await this.#decideOn(body)
    const entity = PARSED[kind](body)
    const check = (before: LoadedVersion) => {
      const { revision } = before.entry(kind, id) ?? missing(kind, id)
      if (entity.id !== id) {
        const message = `"id" must be "${id}", as in the path`
        throw new EngineError('bad_input', message, { at: 'id' })
      }
      requireHeld(held, revision)
    }
    return this.#put({ kind, id, entity }, { check })
  }

  /** Deletes a schema or table. A table used by a schema cannot be deleted. */
  async deleteEntity(kind: SchemaOrTable, id: string, held?: HeldRevisions): Promise<void> {
    await this.#edit([{ kind, id }], {
      check: (before) => {
        const { revision } = before.entry(kind, id) ?? missing(kind, id)
        requireHeld(held, revision)
      },
    })
  }

  /** Restores an entity, which may have been deleted, from a history entry. The body is `{"history": number}`. */
  async restoreEntity<K extends SchemaOrTable>(
    kind: K,
    id: string,
    body: unknown,
    held?: HeldRevisions,
  ): Promise<EntityAtRevision<EntityOf[K]>> {
    const stored = await this.#decide()
    const number = parseHistoryNumber(body)
    const { repository } = this.#sources
    const entry = await repository.historyEntry(stored, { kind, id, number })
    if (!entry && !(await repository.knows(stored, kind, id))) missing(kind, id)
    if (!entry?.new) {
      const reason = entry
        ? 'is a deletion; give one that has a "new"'
        : `does not belong to this ${kind}`
      const message = `"history" is ${number}, which ${reason}`
      throw new EngineError('bad_input', message, { at: 'history' })
    }
    const { turns } = this.#sources
    await turns.pause()
    const state: unknown = JSON.parse(entry.new)
    await turns.pause()
    const entity = PARSED[kind](state)
    const { comment = `restored from entry ${number}` } = this.#order
    const check = (before: LoadedVersion) => requireHeld(held, before.entry(kind, id)?.revision)
    return this.#put({ kind, id, entity }, { check, comment })
  }

  /**
   * Stores and deletes entities in one transaction: `{"schemas": [...], "tables": [...], "delete_schemas":
   * [id...], "delete_tables": [id...]}`.
   */
  async batch(body: unknown): Promise<BatchResult> {
    await this.#decideOn(body)
    const wanted = parseBatchBody(body)
    const { changes } = await this.#edit(wanted, {
      skipSame: true,
      check: (before) => {
        for (const { kind, id, entity, at } of wanted) {
          if (entity || before.entry(kind, id)) continue
          throw new EngineError('bad_input', `"${at}" is "${id}", which does not exist`, { at })
        }
      },
    })
    return {
      added: namesOf(changes.filter((change) => !change.old)),
      changed: namesOf(changes.filter((change) => change.old && change.new)),
      deleted: namesOf(changes.filter((change) => !change.new)),
    }
  }

  async #put<K extends SchemaOrTable>(
    edit: Edit<K>,
    options: Pick<EditOptions, 'check' | 'comment'>,
  ): Promise<EntityAtRevision<EntityOf[K]>> {
    const { after } = await this.#edit([edit], options)
    await this.#sources.turns.pause()
    return after.entityAtRevision(edit.kind, edit.id)
  }

  /** Checks the caller's right to edit. A large edit is then continued in later turns of the event loop. */
  async #decideOn(body: unknown): Promise<void> {
    await this.#decide()
    const { turns } = this.#sources
    await turns.pause()
    checkEditSize(body, STAGING_EDIT)
    await turns.pause()
  }

  /** Checks the caller's right to edit, once per request. Each edit checks it again within its transaction. */
  #decide(): Promise<StoredVersion> {
    this.#decided ??= this.#editable(this.#sources.access)
    return this.#decided
  }

  #editable(access: VersionAccess): Promise<StoredVersion> {
    const { caller, name } = this.#order
    return access.editable(caller, 'STAGING_EDITOR', name)
  }

  async #edit(
    edits: readonly Edit[],
    options: Pick<EditOptions, 'check' | 'comment' | 'skipSame'>,
  ): Promise<Applied> {
    const { repository, loaded, clock, turns } = this.#sources
    const { caller, comment } = this.#order
    // Schemas and tables are read here, so that the transaction has little left to read.
    const known = await loaded.read(await this.#decide())
    if (known && edits.some(deletesTable)) await turns.run(known.uses())
    if (known) await turns.run(learnFacts(edits, known))
    await turns.pause()
    const applied = await repository.transaction(async (transaction) => {
      // Content and permissions may have changed since the first check.
      const version = await this.#editable(new VersionAccess(transaction))
      return applyEdits({ transaction, loaded, clock }, version, edits, {
        user: caller.user,
        comment,
        mostDerived: MAX_DERIVED,
        ...options,
      })
    })
    loaded.keep(applied.after)
    return applied
  }
}

/** Limit on everything that the schemas of an edit reach, before and after it: four schemas of maximum size. */
const MAX_DERIVED = 1 << 18

/** Reads the facts about stored and deleted tables that schemas need. A table keeps them when its date changes. */
function* learnFacts(edits: readonly Edit[], known: LoadedVersion): Generator<undefined, void> {
  for (const { kind, id, entity } of edits) {
    if (kind !== 'table') continue
    for (const table of [entity, known.entry(kind, id)?.entity]) {
      if (!table) continue
      known.complete(table)
      yield
    }
  }
}

function deletesTable({ kind, entity }: Edit): boolean {
  return kind === 'table' && !entity
}

function namesOf(changes: readonly AppliedChange[]): EntityNames {
  return {
    schemas: changes.filter(({ kind }) => kind === 'schema').map(({ id }) => id),
    tables: changes.filter(({ kind }) => kind === 'table').map(({ id }) => id),
  }
}
