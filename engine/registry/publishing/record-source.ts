import type { IndexedRecord, RecordChange, RecordSource } from '../full-text/record.ts'
import type { RecordContent } from './definition.ts'
import { contentOf } from './records.ts'
import type { StoredRecord, StoredVersion } from './stored.ts'
import type { PublishingSources } from './versions.ts'

/** A sort order that only ranges use. */
export const FIRST_PUBLISHED = 'first_published'
/** Name of a sort order in which all records are equal. */
export const NO_ORDER = 'none'

/** Gives an index access to the changes of one version. */
export class VersionRecords<Content extends RecordContent> implements RecordSource {
  readonly #sources: PublishingSources<Content>
  readonly #version: string

  constructor(sources: PublishingSources<Content>, { version }: StoredVersion) {
    this.#sources = sources
    this.#version = version
  }

  async revision(): Promise<number> {
    return (await this.#sources.repository.version(this.#version))?.revision ?? 0
  }

  async *changesSince(revision: number): AsyncGenerator<RecordChange> {
    const { repository } = this.#sources
    const deleted = revision === 0 ? [] : await repository.deletedSince(this.#version, revision)
    const changed = await repository.idsSince(this.#version, revision)
    const ids = [...new Set([...deleted, ...changed])]
    for await (const [id, stored] of repository.eachRecord(this.#version, ids)) {
      yield { id, record: stored && this.#indexed(stored) }
    }
  }

  #indexed(stored: StoredRecord): IndexedRecord {
    const { id, name, status, assignedTo, hidden, firstPublished, lastModified } = stored
    const own = this.#sources.definition.indexed(contentOf<Content>(stored))
    return {
      id,
      texts: own.texts,
      filters: {
        ...own.filters,
        status: [status],
        assigned_to: assignedTo === null ? [] : [assignedTo],
        hidden: [String(hidden)],
        been_published: [String(firstPublished !== null)],
      },
      orders: {
        ...own.orders,
        name,
        status,
        assigned_to: assignedTo ?? undefined,
        last_modified: Date.parse(lastModified),
        [FIRST_PUBLISHED]: firstPublished === null ? undefined : Date.parse(firstPublished),
      },
    }
  }
}
