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

/** Selects both copies of records by id. */
const COPIES = keyedStatements(
  (places) => `SELECT * FROM publishing_items
    WHERE area = ? AND version IN ('${DEVELOPMENT}', '${LATEST}') AND id IN (${places})`,
)

/** Returns a row per existing record, or one row without a record. Each has the version's revision. */
const RECORDS = keyedStatements(
  (places) => `SELECT i.*, c.document, v.revision AS version_revision
    FROM publishing_versions v
    LEFT JOIN publishing_items i
      ON i.area = v.area AND i.version = v.version AND i.id IN (${places})
    LEFT JOIN publishing_contents c ON c.fingerprint = i.fingerprint
    WHERE v.area = ? AND v.version = ?`,
)

/** Sums the contents of records. */
const SIZES = keyedStatements(
  (places) => `SELECT coalesce(sum(octet_length(c.document)), 0) AS bytes
    FROM publishing_items i JOIN publishing_contents c ON c.fingerprint = i.fingerprint
    WHERE i.id IN (${places}) AND i.area = ? AND i.version = ?`,
)

/** Records of a version, with its revision. */
interface RecordsAtRevision {
  /** The records that exist, keyed by id. */
  readonly records: ReadonlyMap<string, StoredRecord>
  /** Whether all records were read while the version had this revision. */
  readonly isOf: (revision: number) => boolean
}

/** Number of records per query if there may be very many. Each may have megabytes. */
const RECORDS_AT_ONCE = 16

/**
 * Reads the records of one area, such as the glossary. All SQL of areas is in this file and in
 * changelog-repository.ts. It uses only features that SQLite and PostgreSQL share. Nothing is cached, because
 * other processes may edit the records.
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
      this.#area,
      version,
      hidden ? 1 : 0,
    )
    return Number(row?.count ?? 0)
  }

  /** Counts records by type and, on request, by status. */
  async countByStatus(
    version: string,
    { hidden, byStatus }: { readonly hidden: boolean; readonly byStatus: boolean },
  ): Promise<StatusCount[]> {
    const status = byStatus ? 'status' : 'NULL'
    const rows = await this.#questions.all(
      `SELECT type, ${status} AS status, count(*) AS count FROM publishing_items
       WHERE area = ? AND version = ? AND hidden <= ?
       GROUP BY 1, 2 ORDER BY 1 NULLS FIRST, 2`,
      this.#area,
      version,
      hidden ? 1 : 0,
    )
    return rows.map(STATUS_COUNT.read)
  }

  async item(version: string, id: string): Promise<StoredItem | undefined> {
    const sql = 'SELECT * FROM publishing_items WHERE area = ? AND version = ? AND id = ?'
    const row = await this.#questions.first(sql, this.#area, version, id)
    return row && ITEM.read(row)
  }

  /** Returns the existing copies of records, keyed by id. */
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
      this.#area,
      version,
      id,
    )
    return row && recordOf(row)
  }

  /** Returns the total size in bytes of the contents of records, without reading them. */
  async bytesOf(version: string, ids: readonly string[]): Promise<number> {
    const rows = await this.#questions.byKeys(SIZES, [], ids, [this.#area, version])
    return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0)
  }

  /** Returns records of a version, keyed by id. */
  async records(version: string, ids: readonly string[]): Promise<RecordsAtRevision> {
    const records = new Map<string, StoredRecord>()
    const revisions = new Set<number>()
    // Queried even without ids, because the revision of the version may have changed.
    const rows = await this.#questions.byKeys(RECORDS, [], ids.length > 0 ? ids : [''], [
      this.#area,
      version,
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

  /** Yields the records of a version by ascending id. Reads a few at a time. */
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

  /** Returns the ids of a version's records that were edited after a revision. */
  async idsSince(version: string, revision: number): Promise<string[]> {
    // With ORDER BY id, the database would scan the whole version to avoid sorting a few rows.
    const rows = await this.#questions.all(
      'SELECT id FROM publishing_items WHERE area = ? AND version = ? AND revision > ?',
      this.#area,
      version,
      revision,
    )
    return rows.map((row) => row.id as string)
  }

  /** Returns the ids of a version's records, in ascending order. */
  async ids(version: string): Promise<string[]> {
    const sql = 'SELECT id FROM publishing_items WHERE area = ? AND version = ? ORDER BY id'
    return (await this.#questions.all(sql, this.#area, version)).map((row) => row.id as string)
  }

  /** Returns the ids that were removed from a version after a revision. Some may have been added again. */
  async deletedSince(version: string, revision: number): Promise<string[]> {
    const rows = await this.#questions.all(
      `SELECT DISTINCT id FROM publishing_changes
       WHERE area = ? AND version = ? AND number > ? AND type = 'DEL'`,
      this.#area,
      version,
      revision,
    )
    return rows.map((row) => row.id as string)
  }
}

/** Reads from one consistent snapshot, including the changelogs. */
export class PublishingSnapshot extends PublishingReads {
  readonly changelogs: ChangelogReads

  constructor(rows: Rows, area: Area) {
    super(rows, area)
    this.changelogs = new ChangelogReads(rows, area)
  }
}

/** Reads and writes within one transaction. */
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

  /** Allocates consecutive revisions. Returns the last one. */
  async nextRevision(count = 1): Promise<number> {
    const row = await this.#transaction.get<{ last_revision: number }>(
      `UPDATE publishing_areas SET last_revision = last_revision + ? WHERE area = ?
       RETURNING last_revision`,
      [count, this.#area],
    )
    return Number(row?.last_revision)
  }

  /** Marks a version as edited. The first edit of a production version publishes it. */
  async touchVersion(version: string, date: string, revision: number): Promise<void> {
    await this.#transaction.run(
      `UPDATE publishing_versions
       SET last_modified = ?, revision = ?, first_published =
         CASE WHEN type = 'PRODUCTION' THEN coalesce(first_published, ?) ELSE first_published END
       WHERE area = ? AND version = ?`,
      [date, revision, date, this.#area, version],
    )
  }

  /** Creates a version with the current records of production. */
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

  /** Stores contents. Call it before storing copies that refer to them. */
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

/** Reads an area from the current state of the database. */
export class PublishingRepository extends PublishingReads {
  readonly #database: Database
  readonly #area: Area

  constructor(database: Database, area: Area) {
    super(database, area)
    this.#database = database
    this.#area = area
  }

  /** Reads from one consistent snapshot. */
  snapshot<Result>(read: (at: PublishingSnapshot) => Promise<Result>): Promise<Result> {
    return this.#database.read((rows) => read(new PublishingSnapshot(rows, this.#area)))
  }

  /** Updates the query statistics after a large import; see learnOf. */
  learn(records: number): Promise<void> {
    return learnOf(this.#database, ['publishing_items', 'publishing_contents'], records)
  }

  /** Runs `work` in one transaction, like Database.write. */
  transaction<Result>(work: (edits: PublishingEdits) => Promise<Result>): Promise<Result> {
    return this.#database.write((transaction) => work(new PublishingEdits(transaction, this.#area)))
  }
}

function recordOf(row: Row): StoredRecord {
  return { ...ITEM.read(row), document: row.document as string }
}
