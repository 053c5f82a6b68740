import type { DatabaseSync } from 'node:sqlite'
import { columnsOf, flag, json, plain } from '../sql/columns.ts'
import { Statements, upsertInto } from '../sql/statements.ts'
import { ChangelogRepository } from './changelog-repository.ts'
import type { Area } from './definition.ts'
import {
  LATEST,
  type StatusCount,
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

/**
 * All SQL of one area. Keeps to what SQLite and PostgreSQL have in common, and nothing in memory:
 * other processes may edit. Writing is for inside `transaction`.
 */
export class PublishingRepository {
  readonly changelogs: ChangelogRepository
  readonly #area: Area
  readonly #statements: Statements

  constructor(state: DatabaseSync, area: Area) {
    this.#area = area
    this.#statements = new Statements(state)
    this.changelogs = new ChangelogRepository(this.#statements, area)
  }

  /** Runs `work` in one transaction, durable when this returns; see inTransaction. */
  transaction<Result>(work: () => Result): Result {
    return this.#statements.transaction(work)
  }

  /** Reads everything as it is at one moment; see inSnapshot. */
  snapshot<Result>(read: () => Result): Result {
    return this.#statements.snapshot(read)
  }

  /** A number that no edit had before. */
  nextRevision(): number {
    const [row] = this.#statements.all(
      `UPDATE publishing_areas SET last_revision = last_revision + 1 WHERE area = ?
       RETURNING last_revision`,
      this.#area,
    )
    return Number(row?.last_revision)
  }

  versions(): StoredVersion[] {
    const sql = 'SELECT * FROM publishing_versions WHERE area = ? ORDER BY version'
    return this.#statements.all(sql, this.#area).map(VERSION.read)
  }

  version(version: string): StoredVersion | undefined {
    const sql = 'SELECT * FROM publishing_versions WHERE area = ? AND version = ?'
    return this.#statements.all(sql, this.#area, version).map(VERSION.read)[0]
  }

  /** Says that a version was edited; the first time that production is, it is published. */
  touchVersion(version: string, date: string, revision: number): void {
    this.#statements.run(
      `UPDATE publishing_versions
       SET last_modified = ?, revision = ?, first_published =
         CASE WHEN type = 'PRODUCTION' THEN coalesce(first_published, ?) ELSE first_published END
       WHERE area = ? AND version = ?`,
      ...[date, revision, date, this.#area, version],
    )
  }

  /** Makes a version that has what production has. */
  addSnapshot(version: string, date: string, revision: number): void {
    this.#statements.run(
      `INSERT INTO publishing_versions (area, version, type, first_published, last_modified,
         made_at, revision)
       VALUES (?, ?, 'BETA', ?, ?, ?, ?)`,
      ...[this.#area, version, date, date, revision, revision],
    )
    this.#statements.run(
      `INSERT INTO publishing_items (area, version, id, name, type, fingerprint, hidden, status,
         assigned_to, note, field_notes, first_published, last_modified, revision)
       SELECT area, ?, id, name, type, fingerprint, hidden, status, assigned_to, note,
         field_notes, first_published, last_modified, ?
       FROM publishing_items WHERE area = ? AND version = ?`,
      ...[version, revision, this.#area, LATEST],
    )
  }

  deleteVersion(version: string): void {
    const sql = 'DELETE FROM publishing_versions WHERE area = ? AND version = ?'
    this.#statements.run(sql, this.#area, version)
  }

  count(version: string, { hidden }: { readonly hidden: boolean }): number {
    const [row] = this.#statements.all(
      `SELECT count(*) AS count FROM publishing_items
       WHERE area = ? AND version = ? AND hidden <= ?`,
      ...[this.#area, version, hidden ? 1 : 0],
    )
    return Number(row?.count)
  }

  /** How many there are by type and, if asked for, status. */
  countByStatus(
    version: string,
    { hidden, byStatus }: { readonly hidden: boolean; readonly byStatus: boolean },
  ): StatusCount[] {
    const status = byStatus ? 'status' : 'NULL'
    return this.#statements
      .all(
        `SELECT type, ${status} AS status, count(*) AS count FROM publishing_items
       WHERE area = ? AND version = ? AND hidden <= ?
       GROUP BY 1, 2 ORDER BY 1, 2`,
        ...[this.#area, version, hidden ? 1 : 0],
      )
      .map(STATUS_COUNT.read)
  }

  item(version: string, id: string): StoredItem | undefined {
    const sql = 'SELECT * FROM publishing_items WHERE area = ? AND version = ? AND id = ?'
    return this.#statements.all(sql, this.#area, version, id).map(ITEM.read)[0]
  }

  record(version: string, id: string): StoredRecord | undefined {
    const [row] = this.#statements.all(
      `SELECT i.*, c.document FROM publishing_items i
       JOIN publishing_contents c ON c.fingerprint = i.fingerprint
       WHERE i.area = ? AND i.version = ? AND i.id = ?`,
      ...[this.#area, version, id],
    )
    return row && { ...ITEM.read(row), document: row.document as string }
  }

  /** What a version holds that was edited after a revision. */
  idsSince(version: string, revision: number): string[] {
    // Ordered by id, all of the version would be read to save the sorting of a few.
    const rows = this.#statements.all(
      'SELECT id FROM publishing_items WHERE area = ? AND version = ? AND revision > ?',
      ...[this.#area, version, revision],
    )
    return rows.map((row) => row.id as string)
  }

  /** What a version holds, by id. */
  ids(version: string): string[] {
    const sql = 'SELECT id FROM publishing_items WHERE area = ? AND version = ? ORDER BY id'
    return this.#statements.all(sql, this.#area, version).map((row) => row.id as string)
  }

  /** What was taken out of a version after a revision; it may be there again. */
  deletedSince(version: string, revision: number): string[] {
    const rows = this.#statements.all(
      `SELECT DISTINCT id FROM publishing_changes
       WHERE area = ? AND version = ? AND number > ? AND type = 'DEL'`,
      ...[this.#area, version, revision],
    )
    return rows.map((row) => row.id as string)
  }

  putDocument(fingerprint: string, document: string): void {
    this.#statements.run(
      `INSERT INTO publishing_contents (fingerprint, document) VALUES (?, ?)
       ON CONFLICT (fingerprint) DO NOTHING`,
      ...[fingerprint, document],
    )
  }

  putItem(version: string, item: StoredItem): void {
    this.#statements.run(PUT_ITEM, this.#area, version, ...ITEM.values(item))
  }

  deleteItem(version: string, id: string): void {
    const sql = 'DELETE FROM publishing_items WHERE area = ? AND version = ? AND id = ?'
    this.#statements.run(sql, this.#area, version, id)
  }
}
