import { keyedStatements } from '../../shared/database/by-keys.ts'
import type { Database, Rows, Transaction } from '../../shared/database/database.ts'
import type { Parameters } from '../../shared/database/values.ts'
import { columnsOf, flag, json, plain } from '../sql/columns.ts'
import { Questions, type Row } from '../sql/questions.ts'
import { upsertInto } from '../sql/statements.ts'
import { learnOf } from '../sql/statistics.ts'
import { ChangelogEdits, ChangelogReads } from './changelog-repository.ts'
import type { Area } from './definition.ts'
import {
  DEVELOPMENT,
  LATEST,
  type StatusCount,
  type StoredCopies,
  type StoredItem,
  type StoredRecord,
  type StoredVersion,
} from './stored.ts'

const VERSION = columnsOf<StoredVersion>({
  version: plain('version'),
  type: plain('type'),
  firstPublished: plain('first_published'),
  lastModified: plain('last_modified'),
  madeAt: plain('made_at'),
  revision: plain('revision'),
})

const ITEM = columnsOf<StoredItem>({
  id: plain('id'),
  name: plain('name'),
  type: plain('type'),
  fingerprint: plain('fingerprint'),
  hidden: flag('hidden'),
  status: plain('status'),
  assignedTo: plain('assigned_to'),
  note: plain('note'),
  fieldNotes: json('field_notes'),
  firstPublished: plain('first_published'),
  lastModified: plain('last_modified'),
  revision: plain('revision'),
})

const STATUS_COUNT = columnsOf<StatusCount>({
  type: plain('type'),
  status: plain('status'),
  count: plain('count'),
})

const PUT_ITEM = upsertInto(
  'publishing_items',
  ['area', 'version', ...ITEM.names],
  ['area', 'version', 'id'],
)

/** Both copies of records by their ids. */
const COPIES = keyedStatements(
  (places) => `SELECT * FROM publishing_items
    WHERE area = ? AND version IN ('${DEVELOPMENT}', '${LATEST}') AND id IN (${places})`,
)

/** A row for each record that is there, or one without any, with the revision of the version. */
const RECORDS = keyedStatements(
  (places) => `SELECT i.*, c.document, v.revision AS version_revision
    FROM publishing_versions v
    LEFT JOIN publishing_items i
      ON i.area = v.area AND i.version = v.version AND i.id IN (${places})
    LEFT JOIN publishing_contents c ON c.fingerprint = i.fingerprint
    WHERE v.area = ? AND v.version = ?`,
)

/** Records of a version. */
export interface RecordsAtRevision {
  /** Those that are there. */
  readonly records: ReadonlyMap<string, StoredRecord>
  /** Whether all were read while the version had this revision. */
  readonly isOf: (revision: number) => boolean
}

/** Records of one statement, where there may be very many. */
const RECORDS_AT_ONCE = 500

/**
 * What is read of one area. All its SQL is in this file and in that of the changelogs. It keeps to what
 * SQLite and PostgreSQL have in common, and nothing in memory: other processes may edit.
 */
export class PublishingReads {
  readonly #area: Area
  readonly #questions: Questions

  constructor(source: Database | Rows, area: Area) {
    this.#area = area
    this.#questions = new Questions(source)
  }

  async versions(): Promise<StoredVersion[]> {
    const sql = 'SELECT * FROM publishing_versions WHERE area = ? ORDER BY version'
    return (await this.#questions.all(sql, this.#area)).map(VERSION.read)
  }

  async version(version: string): Promise<StoredVersion | undefined> {
    const sql = 'SELECT * FROM publishing_versions WHERE area = ? AND version = ?'
    const row = await this.#questions.first(sql, this.#area, version)
    return row && VERSION.read(row)
  }

  async count(version: string, { hidden }: { readonly hidden: boolean }): Promise<number> {
    const row = await this.#questions.first(
      `SELECT count(*) AS count FROM publishing_items
       WHERE area = ? AND version = ? AND hidden <= ?`,
      ...[this.#area, version, hidden ? 1 : 0],
    )
    return Number(row?.count ?? 0)
  }

  /** How many there are by type and, if asked for, status. */
  async countByStatus(
    version: string,
    { hidden, byStatus }: { readonly hidden: boolean; readonly byStatus: boolean },
  ): Promise<StatusCount[]> {
    const status = byStatus ? 'status' : 'NULL'
    const rows = await this.#questions.all(
      `SELECT type, ${status} AS status, count(*) AS count FROM publishing_items
       WHERE area = ? AND version = ? AND hidden <= ?
       GROUP BY 1, 2 ORDER BY 1 NULLS FIRST, 2`,
      ...[this.#area, version, hidden ? 1 : 0],
    )
    return rows.map(STATUS_COUNT.read)
  }

  async item(version: string, id: string): Promise<StoredItem | undefined> {
    const sql = 'SELECT * FROM publishing_items WHERE area = ? AND version = ? AND id = ?'
    const row = await this.#questions.first(sql, this.#area, version, id)
    return row && ITEM.read(row)
  }

  /** The copies of records that there are, by their ids. */
  async copies(ids: readonly string[]): Promise<ReadonlyMap<string, StoredCopies>> {
    const found = new Map<string, { development?: StoredItem; production?: StoredItem }>()
    for (const row of await this.#questions.byKeys(COPIES, [this.#area], ids)) {
      const item = ITEM.read(row)
      const which = row.version === DEVELOPMENT ? 'development' : 'production'
      found.set(item.id, { ...found.get(item.id), [which]: item })
    }
    return found
  }

  async record(version: string, id: string): Promise<StoredRecord | undefined> {
    const row = await this.#questions.first(
      `SELECT i.*, c.document FROM publishing_items i
       JOIN publishing_contents c ON c.fingerprint = i.fingerprint
       WHERE i.area = ? AND i.version = ? AND i.id = ?`,
      ...[this.#area, version, id],
    )
    return row && recordOf(row)
  }

  /** Records of a version by their ids. */
  async records(version: string, ids: readonly string[]): Promise<RecordsAtRevision> {
    const records = new Map<string, StoredRecord>()
    const revisions = new Set<number>()
    // Without ids, too: the version may be another one by now.
    const rows = await this.#questions.byKeys(RECORDS, [], ids.length > 0 ? ids : [''], [
      ...[this.#area, version],
    ])
    for (const row of rows) {
      revisions.add(row.version_revision as number)
      if (row.id !== null) {
        records.set(row.id as string, recordOf(row))
      }
    }
    const isOf = (revision: number) => revisions.size === 1 && revisions.has(revision)
    return { records, isOf }
  }

  /** Records of a version in the order of the ids, some hundred read at a time. */
  async *eachRecord(
    version: string,
    ids: readonly string[],
  ): AsyncGenerator<readonly [id: string, record: StoredRecord | undefined]> {
    for (let start = 0; start < ids.length; start += RECORDS_AT_ONCE) {
      const some = ids.slice(start, start + RECORDS_AT_ONCE)
      const { records } = await this.records(version, some)
      for (const id of some) yield [id, records.get(id)]
    }
  }

  /** What a version holds that was edited after a revision. */
  async idsSince(version: string, revision: number): Promise<string[]> {
    // Ordered by id, all of the version would be read to save the sorting of a few.
    const rows = await this.#questions.all(
      'SELECT id FROM publishing_items WHERE area = ? AND version = ? AND revision > ?',
      ...[this.#area, version, revision],
    )
    return rows.map((row) => row.id as string)
  }

  /** What a version holds, by id. */
  async ids(version: string): Promise<string[]> {
    const sql = 'SELECT id FROM publishing_items WHERE area = ? AND version = ? ORDER BY id'
    return (await this.#questions.all(sql, this.#area, version)).map((row) => row.id as string)
  }

  /** What was taken out of a version after a revision; it may be there again. */
  async deletedSince(version: string, revision: number): Promise<string[]> {
    const rows = await this.#questions.all(
      `SELECT DISTINCT id FROM publishing_changes
       WHERE area = ? AND version = ? AND number > ? AND type = 'DEL'`,
      ...[this.#area, version, revision],
    )
    return rows.map((row) => row.id as string)
  }
}

/** What is read at one moment, with the changelogs. */
export class PublishingSnapshot extends PublishingReads {
  readonly changelogs: ChangelogReads

  constructor(rows: Rows, area: Area) {
    super(rows, area)
    this.changelogs = new ChangelogReads(rows, area)
  }
}

/** What is written in one transaction. */
export class PublishingEdits extends PublishingReads {
  readonly changelogs: ChangelogEdits
  readonly #area: Area
  readonly #transaction: Transaction

  constructor(transaction: Transaction, area: Area) {
    super(transaction, area)
    this.#area = area
    this.#transaction = transaction
    this.changelogs = new ChangelogEdits(transaction, area)
  }

  /** Numbers that no edit had before, one after the other; the last of them. */
  async nextRevision(count = 1): Promise<number> {
    const row = await this.#transaction.get<{ last_revision: number }>(
      `UPDATE publishing_areas SET last_revision = last_revision + ? WHERE area = ?
       RETURNING last_revision`,
      [count, this.#area],
    )
    return Number(row?.last_revision)
  }

  /** Says that a version was edited; the first time that production is, it is published. */
  async touchVersion(version: string, date: string, revision: number): Promise<void> {
    await this.#transaction.run(
      `UPDATE publishing_versions
       SET last_modified = ?, revision = ?, first_published =
         CASE WHEN type = 'PRODUCTION' THEN coalesce(first_published, ?) ELSE first_published END
       WHERE area = ? AND version = ?`,
      [date, revision, date, this.#area, version],
    )
  }

  /** Makes a version that has what production has. */
  async addSnapshot(version: string, date: string, revision: number): Promise<void> {
    await this.#transaction.run(
      `INSERT INTO publishing_versions (area, version, type, first_published, last_modified,
         made_at, revision)
       VALUES (?, ?, 'BETA', ?, ?, ?, ?)`,
      [this.#area, version, date, date, revision, revision],
    )
    await this.#transaction.run(
      `INSERT INTO publishing_items (area, version, id, name, type, fingerprint, hidden, status,
         assigned_to, note, field_notes, first_published, last_modified, revision)
       SELECT area, ?, id, name, type, fingerprint, hidden, status, assigned_to, note,
         field_notes, first_published, last_modified, ?
       FROM publishing_items WHERE area = ? AND version = ?`,
      [version, revision, this.#area, LATEST],
    )
  }

  async deleteVersion(version: string): Promise<void> {
    const sql = 'DELETE FROM publishing_versions WHERE area = ? AND version = ?'
    await this.#transaction.run(sql, [this.#area, version])
  }

  /** Keeps contents, before copies of records have them. */
  async putDocuments(records: Iterable<StoredRecord>): Promise<void> {
    function* rows(): Generator<Parameters> {
      for (const { fingerprint, document } of records) yield [fingerprint, document]
    }
    await this.#transaction.runEach(
      `INSERT INTO publishing_contents (fingerprint, document) VALUES (?, ?)
       ON CONFLICT (fingerprint) DO NOTHING`,
      rows(),
    )
  }

  async putItems(items: Iterable<readonly [version: string, item: StoredItem]>): Promise<void> {
    const area = this.#area
    function* rows(): Generator<Parameters> {
      for (const [version, item] of items) yield [area, version, ...ITEM.values(item)]
    }
    await this.#transaction.runEach(PUT_ITEM, rows())
  }

  async deleteItem(version: string, id: string): Promise<void> {
    const sql = 'DELETE FROM publishing_items WHERE area = ? AND version = ? AND id = ?'
    await this.#transaction.run(sql, [this.#area, version, id])
  }
}

/** An area as the database has it at each question. */
export class PublishingRepository extends PublishingReads {
  readonly #database: Database
  readonly #area: Area

  constructor(database: Database, area: Area) {
    super(database, area)
    this.#database = database
    this.#area = area
  }

  /** Reads everything as it is at one moment. */
  snapshot<Result>(read: (at: PublishingSnapshot) => Promise<Result>): Promise<Result> {
    return this.#database.read((rows) => read(new PublishingSnapshot(rows, this.#area)))
  }

  /** To be called when so many records were stored at once; see learnOf. */
  learn(records: number): Promise<void> {
    return learnOf(this.#database, ['publishing_items', 'publishing_contents'], records)
  }

  /** Runs `work` in one transaction; see Database.write. */
  transaction<Result>(work: (edits: PublishingEdits) => Promise<Result>): Promise<Result> {
    return this.#database.write((transaction) => work(new PublishingEdits(transaction, this.#area)))
  }
}

function recordOf(row: Row): StoredRecord {
  return { ...ITEM.read(row), document: row.document as string }
}
