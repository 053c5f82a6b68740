import type { PublishingEdits } from './repository.ts'
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

/** Contents that are held until they are stored together. */
const MAX_HELD_DOCUMENTS = 500

/**
 * One edit inside a transaction: says what becomes of both copies of records, stores it, and notes it
 * in the changelogs when it is finished. An edit that stores nothing leaves no trace.
 */
export class Edit {
  readonly #edits: PublishingEdits
  readonly #note: EditNote
  readonly #changes = new Map<string, NewChange[]>()
  readonly #revisions = new Map<string, number>()
  /** Revisions that are for this edit and that no record has been given yet. */
  #reserved = 0
  #documents: StoredRecord[] = []
  #items: (readonly [version: string, item: StoredItem])[] = []
  /** The last revision that was given, by which the changelogs number the edit. */
  #number = 0

  constructor(edits: PublishingEdits, note: EditNote) {
    this.#edits = edits
    this.#note = note
  }

  get date(): string {
    return this.#note.date
  }

  /** Takes revisions for so many records at once, all of which are to be given. */
  async reserve(count: number): Promise<void> {
    if (count === 0) return
    this.#number = (await this.#edits.nextRevision(count)) - count
    this.#reserved = count
  }

  /**
   * The revision that this edit gives a record, one of its own: what is held for one record can
   * never be taken for another one's.
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

  /** Keeps a content, before a copy of a record has it. */
  async putDocument(record: StoredRecord): Promise<void> {
    this.#documents.push(record)
    if (this.#documents.length >= MAX_HELD_DOCUMENTS) await this.#flush()
  }

  /** Puts or, without an `after`, deletes the copy that a version has of a record. */
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
      ...{ id, name, type: entry },
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

/** Whether it was to be seen before or is now: everybody learns of hiding and showing, too. */
function isSeen(before: StoredItem | undefined, after: StoredItem | undefined): boolean {
  return before?.hidden === false || after?.hidden === false
}
