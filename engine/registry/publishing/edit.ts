import type { PublishingEdits } from './repository.ts'
import type { ChangeType, NewChange, StoredItem, StoredRecord } from './stored.ts'
import { LATEST } from './stored.ts'

/** The editor, time and comment of an edit. */
interface EditNote {
  readonly user: string
  readonly date: string
  readonly description?: string | undefined
}

/** A copy of a record before and after an edit, and its changelog entry. */
interface Stored {
  readonly before: StoredItem | undefined
  readonly after: StoredItem | undefined
  /** Type of the changelog entry. If undefined, no entry is added. */
  readonly entry?: ChangeType | undefined
}

/** Maximum number of contents to collect before they are stored together. */
const MAX_HELD_DOCUMENTS = 500

/**
 * One edit within a transaction. It collects the changes to both copies of records, stores them, and adds the
 * changelog entries at the end. An edit that changes nothing stores nothing.
 */
export class Edit {
  readonly #edits: PublishingEdits
  readonly #note: EditNote
  readonly #changes = new Map<string, NewChange[]>()
  readonly #revisions = new Map<string, number>()
  /** Number of revisions that are reserved for this edit and not yet assigned to records. */
  #reserved = 0
  #documents: StoredRecord[] = []
  #items: (readonly [version: string, item: StoredItem])[] = []
  /** The last assigned revision, which is also the number of the edit in the changelogs. */
  #number = 0

  constructor(edits: PublishingEdits, note: EditNote) {
    this.#edits = edits
    this.#note = note
  }

  get date(): string {
    return this.#note.date
  }

  /** Reserves revisions for this many records in one query. All of them must be assigned. */
  async reserve(count: number): Promise<void> {
    if (count === 0) return
    this.#number = (await this.#edits.nextRevision(count)) - count
    this.#reserved = count
  }

  /**
   * Returns the revision that this edit assigns to a record. Revisions are unique, so a revision that a client
   * has for one record never matches another record.
   */
  async revisionOf(id: string): Promise<number> {
    const given = this.#revisions.get(id)
    if (given !== undefined) return given
    if (this.#reserved === 0) await this.reserve(1)
    this.#reserved--
    this.#number++
    this.#revisions.set(id, this.#number)
    return this.#number
  }

  /** Stores a content. Call it before storing a copy that refers to it. */
  async putDocument(record: StoredRecord): Promise<void> {
    this.#documents.push(record)
    if (this.#documents.length >= MAX_HELD_DOCUMENTS) await this.#flush()
  }

  /** Stores a version's copy of a record, or deletes it if there is no `after`. */
  async store(version: string, { before, after, entry }: Stored): Promise<void> {
    const changes = this.#changes.get(version) ?? []
    this.#changes.set(version, changes)
    const item = after ?? before
    if (!item) return
    const { id, name } = item
    const revision = await this.revisionOf(id)
    if (after) this.#items.push([version, { ...after, revision }])
    else await this.#edits.deleteItem(version, id)
    if (!entry) return
    changes.push({
      id,
      name,
      type: entry,
      isPublic: version === LATEST && isSeen(before, after),
      old: entry === 'ADD' ? undefined : before,
      new: entry === 'DEL' ? undefined : after,
    })
  }

  async finish(): Promise<void> {
    await this.#flush()
    const { date, user, description = null } = this.#note
    const number = this.#number
    for (const [version, changes] of this.#changes) {
      await this.#edits.touchVersion(version, date, number)
      if (changes.length === 0) continue
      await this.#edits.changelogs.add({ version, number, date, user, description, changes })
    }
  }

  async #flush(): Promise<void> {
    const [documents, items] = [this.#documents, this.#items]
    this.#documents = []
    this.#items = []
    await this.#edits.putDocuments(documents)
    await this.#edits.putItems(items)
  }
}

/** Returns whether the copy was or is visible, because hiding and showing are public, too. */
function isSeen(before: StoredItem | undefined, after: StoredItem | undefined): boolean {
  return before?.hidden === false || after?.hidden === false
}
