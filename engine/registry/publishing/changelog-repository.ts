import type { SQLInputValue } from 'node:sqlite'
import { columnsOf, plain } from '../sql/columns.ts'
import { insertInto, type Row, type Statements } from '../sql/statements.ts'
import type { Area } from './definition.ts'
import type {
  ChangelogSpan,
  ChangeType,
  FormerItem,
  NewChangelog,
  Notes,
  Page,
  StoredChange,
  StoredChangelog,
  StoredItem,
} from './stored.ts'

const CHANGELOG = columnsOf<StoredChangelog>({
  number: plain('number'),
  date: plain('date'),
  user: plain('user_name'),
  description: plain('description'),
})

const ADD = insertInto('publishing_changelogs', [
  'area',
  'version',
  ...CHANGELOG.names,
  'is_public',
])

const ADD_CHANGE = insertInto('publishing_changes', [
  ...['area', 'version', 'number', 'id', 'name', 'type', 'is_public'],
  ...['old', 'new', 'old_notes', 'new_notes'],
])

/** The SQL of the changelogs of one area; see PublishingRepository. */
export class ChangelogRepository {
  readonly #area: Area
  readonly #statements: Statements

  constructor(statements: Statements, area: Area) {
    this.#statements = statements
    this.#area = area
  }

  add({ version, changes, ...entry }: NewChangelog): void {
    const { number } = entry
    const isSeen = changes.some(({ isPublic }) => isPublic) ? 1 : 0
    this.#statements.run(ADD, this.#area, version, ...CHANGELOG.values(entry), isSeen)
    for (const { id, name, type, isPublic, old, new: after } of changes) {
      this.#statements.run(
        ADD_CHANGE,
        ...[this.#area, version, number, id, name, type, isPublic ? 1 : 0],
        ...[old?.fingerprint ?? null, after?.fingerprint ?? null],
        ...[notesJson(old), notesJson(after)],
      )
    }
  }

  count(span: ChangelogSpan): number {
    const [where, values] = this.#within(span)
    const sql = `SELECT count(*) AS count FROM publishing_changelogs l WHERE ${where}`
    return Number(this.#statements.all(sql, ...values)[0]?.count)
  }

  page(span: ChangelogSpan, { order, limit, offset }: Page): StoredChangelog[] {
    const [where, values] = this.#within(span)
    return this.#statements
      .all(
        `SELECT number, date, user_name, description FROM publishing_changelogs l
       WHERE ${where} ORDER BY number ${order} LIMIT ? OFFSET ?`,
        ...[...values, limit, offset],
      )
      .map(CHANGELOG.read)
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
    for (const row of rows) yield { ...changeOf(row), ...CHANGELOG.read(row) }
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
