import type { PublishingRepository } from './repository.ts'
import type { ChangeType, NewChange, StoredItem, StoredRecord } from './stored.ts'
import { LATEST } from './stored.ts'

/** Who edits, when, and what they say about it. */
export interface EditNote {
  readonly user: string
  readonly date: string
  readonly description?: string | undefined
}

/** What an edit makes of a copy of a record, and what the changelog gets of it. */
interface Stored {
  readonly before: StoredItem | undefined
  readonly after: StoredItem | undefined
  /** Left out, the changelog gets no entry. */
  readonly entry?: ChangeType | undefined
}

/**
 * One edit inside a transaction: stores what becomes of both copies of records, and notes it
 * in the changelogs when it is finished. An edit that stores nothing leaves no trace.
 */
export class Edit {
  readonly #repository: PublishingRepository
  readonly #note: EditNote
  readonly #changes = new Map<string, NewChange[]>()
  readonly #revisions = new Map<string, number>()
  /** The last revision that was given, by which the changelogs number the edit. */
  #number = 0

  constructor(repository: PublishingRepository, note: EditNote) {
    this.#repository = repository
    this.#note = note
  }

  get date(): string {
    return this.#note.date
  }

  /**
   * The revision that this edit gives a record, one of its own: what is held for one record can
   * never be taken for another one's.
   */
  revisionOf(id: string): number {
    const given = this.#revisions.get(id)
    if (given !== undefined) return given
    this.#number = this.#repository.nextRevision()
    this.#revisions.set(id, this.#number)
    return this.#number
  }

  /** Keeps a content, before a copy of a record has it. */
  putDocument({ fingerprint, document }: StoredRecord): void {
    this.#repository.putDocument(fingerprint, document)
  }

  /** Puts or, without an `after`, deletes the copy that a version has of a record. */
  store(version: string, { before, after, entry }: Stored): void {
    const changes = this.#changes.get(version) ?? []
    this.#changes.set(version, changes)
    const item = after ?? before
    if (!item) return
    const { id, name } = item
    const revision = this.revisionOf(id)
    if (after) this.#repository.putItem(version, { ...after, revision })
    else this.#repository.deleteItem(version, id)
    if (!entry) return
    changes.push({
      ...{ id, name, type: entry },
      isPublic: version === LATEST && isSeen(before, after),
      old: entry === 'ADD' ? undefined : before,
      new: entry === 'DEL' ? undefined : after,
    })
  }

  finish(): void {
    const { date, user, description = null } = this.#note
    const number = this.#number
    for (const [version, changes] of this.#changes) {
      this.#repository.touchVersion(version, date, number)
      if (changes.length === 0) continue
      this.#repository.changelogs.add({ version, number, date, user, description, changes })
    }
  }
}

/** Whether it was to be seen before or is now: everybody learns of hiding and showing, too. */
function isSeen(before: StoredItem | undefined, after: StoredItem | undefined): boolean {
  return before?.hidden === false || after?.hidden === false
}
