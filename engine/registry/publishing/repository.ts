import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { inSnapshot, inTransaction } from '../../shared/catalogue/state.ts'
import { type Row, Statements } from '../../shared/catalogue/statements.ts'
import type { Status, VersionType } from './answers.ts'
import type { Area } from './definition.ts'
import {
  type ChangelogSpan,
  type ChangeType,
  type FormerItem,
  LATEST,
  type NewChangelog,
  type Notes,
  type Page,
  type StatusCount,
  type StoredChange,
  type StoredChangelog,
  type StoredItem,
  type StoredRecord,
  type StoredVersion,
} from './stored.ts'

/**
 * All SQL of one area. Keeps to what SQLite and PostgreSQL have in common, and nothing in memory:
 * other processes may edit. Writing is for inside `transaction`.
 */
export class PublishingRepository {
  readonly #state: DatabaseSync
  readonly #area: Area
  readonly #statements: Statements

  constructor(state: DatabaseSync, area: Area) {
    this.#state = state
    this.#area = area
    this.#statements = new Statements(state)
  }

  /** Runs `work` in one transaction, durable when this returns; see inTransaction. */
  transaction<Result>(work: () => Result): Result {
    return inTransaction(this.#state, work)
  }

  /** Reads everything as it is at one moment; see inSnapshot. */
  snapshot<Result>(read: () => Result): Result {
    return inSnapshot(this.#state, read)
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
    return this.#statements.all(sql, this.#area).map(versionOf)
  }

  version(version: string): StoredVersion | undefined {
    const sql = 'SELECT * FROM publishing_versions WHERE area = ? AND version = ?'
    return this.#statements.all(sql, this.#area, version).map(versionOf)[0]
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
      .map((row) => ({
        type: row.type as string | null,
        status: row.status as Status | null,
        count: row.count as number,
      }))
  }

  item(version: string, id: string): StoredItem | undefined {
    const sql = 'SELECT * FROM publishing_items WHERE area = ? AND version = ? AND id = ?'
    return this.#statements.all(sql, this.#area, version, id).map(itemOf)[0]
  }

  record(version: string, id: string): StoredRecord | undefined {
    const [row] = this.#statements.all(
      `SELECT i.*, c.document FROM publishing_items i
       JOIN publishing_contents c ON c.fingerprint = i.fingerprint
       WHERE i.area = ? AND i.version = ? AND i.id = ?`,
      ...[this.#area, version, id],
    )
    return row && { ...itemOf(row), document: row.document as string }
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

  document(fingerprint: string): string | undefined {
    const sql = 'SELECT document FROM publishing_contents WHERE fingerprint = ?'
    return this.#statements.all(sql, fingerprint)[0]?.document as string | undefined
  }

  putDocument(fingerprint: string, document: string): void {
    this.#statements.run(
      `INSERT INTO publishing_contents (fingerprint, document) VALUES (?, ?)
       ON CONFLICT (fingerprint) DO NOTHING`,
      ...[fingerprint, document],
    )
  }

  putItem(version: string, item: StoredItem): void {
    const { id, name, type, fingerprint, hidden, status, assignedTo, note, fieldNotes } = item
    this.#statements.run(
      `INSERT INTO publishing_items (area, version, id, name, type, fingerprint, hidden, status,
         assigned_to, note, field_notes, first_published, last_modified, revision)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (area, version, id) DO UPDATE
       SET name = excluded.name, type = excluded.type, fingerprint = excluded.fingerprint,
         hidden = excluded.hidden, status = excluded.status, assigned_to = excluded.assigned_to,
         note = excluded.note, field_notes = excluded.field_notes,
         first_published = excluded.first_published, last_modified = excluded.last_modified,
         revision = excluded.revision`,
      ...[this.#area, version, id, name, type, fingerprint, hidden ? 1 : 0, status],
      ...[assignedTo, note, fieldNotes && JSON.stringify(fieldNotes)],
      ...[item.firstPublished, item.lastModified, item.revision],
    )
  }

  deleteItem(version: string, id: string): void {
    const sql = 'DELETE FROM publishing_items WHERE area = ? AND version = ? AND id = ?'
    this.#statements.run(sql, this.#area, version, id)
  }

  addChangelog({ version, number, date, user, description, changes }: NewChangelog): void {
    const isPublic = changes.some((change) => change.isPublic) ? 1 : 0
    this.#statements.run(
      `INSERT INTO publishing_changelogs (area, version, number, date, user_name, description,
         is_public)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ...[this.#area, version, number, date, user, description, isPublic],
    )
    for (const change of changes) {
      const { id, name, type } = change
      this.#statements.run(
        `INSERT INTO publishing_changes (area, version, number, id, name, type, is_public, old, new,
           old_notes, new_notes)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[this.#area, version, number, id, name, type, change.isPublic ? 1 : 0],
        ...[change.old?.fingerprint ?? null, change.new?.fingerprint ?? null],
        ...[notesJson(change.old), notesJson(change.new)],
      )
    }
  }

  countChangelogs(span: ChangelogSpan): number {
    const [where, values] = this.#within(span)
    const sql = `SELECT count(*) AS count FROM publishing_changelogs l WHERE ${where}`
    return Number(this.#statements.all(sql, ...values)[0]?.count)
  }

  changelogs(span: ChangelogSpan, { order, limit, offset }: Page): StoredChangelog[] {
    const [where, values] = this.#within(span)
    return this.#statements
      .all(
        `SELECT number, date, user_name, description FROM publishing_changelogs l
       WHERE ${where} ORDER BY number ${order} LIMIT ? OFFSET ?`,
        ...[...values, limit, offset],
      )
      .map(changelogOf)
  }

  /**
   * What one entry of a changelog did, by id, read one by one; contents of what was changed alone.
   * For everybody without what was out of sight then, and without contents of records that are now.
   */
  *changes(
    { version, onlyPublic, id }: Pick<ChangelogSpan, 'version' | 'onlyPublic' | 'id'>,
    number: number,
  ): Generator<StoredChange> {
    const publicly = onlyPublic ? "AND h.is_public = 1 AND (h.type <> 'MOD' OR i.hidden = 0)" : ''
    const rows = this.#statements
      .prepare(
        `SELECT ${CHANGE} FROM publishing_changes h
       LEFT JOIN publishing_contents o ON h.type = 'MOD' AND o.fingerprint = h.old
       LEFT JOIN publishing_contents n ON h.type = 'MOD' AND n.fingerprint = h.new
       LEFT JOIN publishing_items i ON i.area = h.area AND i.version = h.version AND i.id = h.id
       WHERE h.area = ? AND h.version = ? AND h.number = ? ${publicly}
         ${id === undefined ? '' : 'AND h.id = ?'}
       ORDER BY h.id`,
      )
      .iterate(...[this.#area, version, number, ...(id === undefined ? [] : [id])])
    for (const row of rows) yield changeOf(row)
  }

  /** What was done to one record, newest first, read one by one. */
  *history(version: string, id: string, upTo: number): Generator<StoredChange & StoredChangelog> {
    const rows = this.#statements
      .prepare(
        `SELECT ${CHANGE}, l.number, l.date, l.user_name, l.description FROM publishing_changes h
       LEFT JOIN publishing_contents o ON o.fingerprint = h.old
       LEFT JOIN publishing_contents n ON n.fingerprint = h.new
       JOIN publishing_changelogs l
         ON l.area = h.area AND l.version = h.version AND l.number = h.number
       WHERE h.area = ? AND h.version = ? AND h.id = ? AND h.number <= ?
       ORDER BY h.number DESC`,
      )
      .iterate(...[this.#area, version, id, upTo])
    for (const row of rows) yield { ...changeOf(row), ...changelogOf(row) }
  }

  #within(span: ChangelogSpan): [where: string, values: SQLInputValue[]] {
    const { version, upTo, onlyPublic, id, from, to } = span
    const parts = ['l.area = ? AND l.version = ? AND l.number <= ? AND l.date >= ? AND l.date < ?']
    const values: SQLInputValue[] = [this.#area, version, upTo, from, to]
    if (onlyPublic) parts.push('l.is_public = 1')
    if (id !== undefined) {
      parts.push(`EXISTS (SELECT 1 FROM publishing_changes h
        WHERE h.area = l.area AND h.version = l.version AND h.id = ? AND h.number = l.number
          AND h.is_public >= ?)`)
      values.push(id, onlyPublic ? 1 : 0)
    }
    return [parts.join(' AND '), values]
  }
}

/** A change with the contents before and after. */
const CHANGE = `h.id, h.name, h.type, h.old, h.new, h.old_notes, h.new_notes,
  o.document AS old_document, n.document AS new_document`

function versionOf(row: Row): StoredVersion {
  return {
    version: row.version as string,
    type: row.type as VersionType,
    firstPublished: row.first_published as string | null,
    lastModified: row.last_modified as string | null,
    madeAt: row.made_at as number,
    revision: row.revision as number,
  }
}

function itemOf(row: Row): StoredItem {
  return {
    id: row.id as string,
    name: row.name as string,
    type: row.type as string | null,
    fingerprint: row.fingerprint as string,
    hidden: row.hidden === 1,
    status: row.status as Status,
    assignedTo: row.assigned_to as string | null,
    note: row.note as string | null,
    fieldNotes: row.field_notes === null ? null : JSON.parse(row.field_notes as string),
    firstPublished: row.first_published as string | null,
    lastModified: row.last_modified as string,
    revision: row.revision as number,
  }
}

function changelogOf(row: Row): StoredChangelog {
  return {
    number: row.number as number,
    date: row.date as string,
    user: row.user_name as string,
    description: row.description as string | null,
  }
}

function changeOf(row: Row): StoredChange {
  return {
    id: row.id as string,
    name: row.name as string,
    type: row.type as ChangeType,
    old: formerOf(row.old, row.old_document, row.old_notes),
    new: formerOf(row.new, row.new_document, row.new_notes),
  }
}

function formerOf(fingerprint: unknown, document: unknown, notes: unknown): FormerItem | undefined {
  if (fingerprint === null || document === null) return undefined
  const read = JSON.parse(notes as string) as Notes
  return { fingerprint: fingerprint as string, document: document as string, ...read }
}

function notesJson(item: StoredItem | undefined): string | null {
  if (!item) return null
  const { status, assignedTo, note, fieldNotes } = item
  return JSON.stringify({ status, assignedTo, note, fieldNotes } satisfies Notes)
}
