import { inSlices } from '../../../shared/concurrency/in-slices.ts'
import { EngineError } from '../../../shared/errors.ts'
import { PARSED, parseBatchBody, parseHistoryNumber } from './bodies.ts'
import type { Catalogue } from './catalogue.ts'
import { type AppliedChange, applyEdits, type Edit, type EditOptions } from './edits.ts'
import type { EntityOf, SchemaOrTable, VersionName } from './entities.ts'
import type { LoadedVersion } from './loaded-version.ts'
import type { LoadedVersions } from './loaded-versions.ts'
import { missing } from './missing.ts'
import type { StagingRepository } from './repository.ts'
import type { Caller } from './roles.ts'

export interface EntityNames {
  readonly schemas: readonly string[]
  readonly tables: readonly string[]
}

/** What a batch did; what was the same already is in none of the lists. */
export interface BatchResult {
  readonly added: EntityNames
  readonly changed: EntityNames
  readonly deleted: EntityNames
}

export interface StagingSources {
  readonly repository: StagingRepository
  readonly loaded: LoadedVersions
  readonly catalogue: Catalogue
  readonly clock: () => Date
}

/** Who edits which version, and what they say about it. */
export interface EditOrder {
  readonly caller: Caller
  readonly name: VersionName
  readonly comment: string | undefined
}

const LONGEST_COMMENT = 10_000

/** Edits of schemas and tables, each one transaction with its entries in the history. */
export class Editing {
  readonly #sources: StagingSources

  constructor(sources: StagingSources) {
    this.#sources = sources
  }

  async create<K extends SchemaOrTable>(
    order: EditOrder,
    kind: K,
    body: unknown,
  ): Promise<EntityOf[K]> {
    this.#mayEdit(order)
    const entity = PARSED[kind](body)
    const { id } = entity
    return this.#put(order, { kind, id, entity }, (before) => {
      if (!before.entry(kind, id)) return
      const message = `${kind === 'schema' ? 'Schema' : 'Table'} '${id}' already exists.`
      throw new EngineError('bad_input', message, { at: 'id' })
    })
  }

  async update<K extends SchemaOrTable>(
    order: EditOrder,
    { kind, id }: { readonly kind: K; readonly id: string },
    body: unknown,
  ): Promise<EntityOf[K]> {
    this.#mayEdit(order)
    const entity = PARSED[kind](body)
    return this.#put(order, { kind, id, entity }, (before) => {
      if (!before.entry(kind, id)) missing(kind, id)
      if (entity.id === id) return
      const message = `"id" is another than "${id}", which the path has`
      throw new EngineError('bad_input', message, { at: 'id' })
    })
  }

  async delete(order: EditOrder, kind: SchemaOrTable, id: string): Promise<void> {
    this.#mayEdit(order)
    await this.#edit(order, [{ kind, id }], {
      check: (before) => {
        if (!before.entry(kind, id)) missing(kind, id)
      },
    })
  }

  /** Puts back what an entry of the history made of an entity, which may be deleted by now. */
  async restore<K extends SchemaOrTable>(
    order: EditOrder,
    { kind, id }: { readonly kind: K; readonly id: string },
    body: unknown,
  ): Promise<EntityOf[K]> {
    const version = this.#mayEdit(order)
    const number = parseHistoryNumber(body)
    const { repository } = this.#sources
    const entry = repository.historyEntry(version, { kind, id, number })
    if (!entry && !repository.knows(version, kind, id)) missing(kind, id)
    if (!entry?.new) {
      const fault = entry ? 'is a deletion; name one that has a "new"' : `is none of this ${kind}`
      const message = `"history" is ${number}, which ${fault}`
      throw new EngineError('bad_input', message, { at: 'history' })
    }
    const entity = PARSED[kind](JSON.parse(entry.new))
    const comment = order.comment ?? `restored from entry ${number}`
    return this.#put({ ...order, comment }, { kind, id, entity })
  }

  async batch(order: EditOrder, body: unknown): Promise<BatchResult> {
    this.#mayEdit(order)
    const wanted = parseBatchBody(body)
    const changes = await this.#edit(order, wanted, {
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
    order: EditOrder,
    edit: Edit<K>,
    check?: (before: LoadedVersion) => void,
  ): Promise<EntityOf[K]> {
    const [change] = await this.#edit(order, [edit], check ? { check } : {})
    return change?.new as EntityOf[K]
  }

  /** Refuses before the body is looked at; the transaction asks once more. */
  #mayEdit({ caller, name, comment }: EditOrder) {
    if (comment !== undefined && comment.length > LONGEST_COMMENT) {
      const message = `"comment" is longer than ${LONGEST_COMMENT} characters`
      throw new EngineError('bad_input', message, { at: 'comment' })
    }
    return this.#sources.catalogue.editable(caller, 'STAGING_EDITOR', name)
  }

  async #edit(
    order: EditOrder,
    edits: readonly Edit[],
    options: Pick<EditOptions, 'check' | 'skipSame'>,
  ): Promise<readonly AppliedChange[]> {
    const { repository, loaded } = this.#sources
    // Inside the transaction little is left to read then.
    const known = await loaded.read(this.#mayEdit(order))
    if (known && edits.some(deletesTable)) await inSlices(known.uses())
    const { after, changes } = repository.transaction(() =>
      applyEdits(this.#sources, this.#mayEdit(order), edits, {
        ...options,
        user: order.caller.user,
        comment: order.comment,
      }),
    )
    loaded.keep(after)
    return changes
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
