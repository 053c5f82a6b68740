import type { Rows, Transaction } from '../../shared/database/database.ts'
import type { Parameters } from '../../shared/database/values.ts'
import { HISTORY_ROWS_AT_ONCE } from '../history-size.ts'
import { columnsOf, plain } from '../sql/columns.ts'
import type { Row } from '../sql/questions.ts'
import { insertInto } from '../sql/statements.ts'
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
  'area',
  'version',
  'number',
  'id',
  'name',
  'type',
  'is_public',
  'old',
  'new',
  'old_notes',
  'new_notes',
])

/** Queries for the changelogs of one area. See PublishingReads. */
export class ChangelogReads {
  readonly #area: Area
  readonly #rows: Rows

  constructor(rows: Rows, area: Area) {
    this.#rows = rows
    this.#area = area
  }

  async count(span: ChangelogSpan): Promise<number> {
    const [where, values] = this.#within(span)
    const sql = `SELECT count(*) AS count FROM publishing_changelogs l WHERE ${where}`
    return Number((await this.#rows.get<Row>(sql, values))?.count)
  }

  async page(span: ChangelogSpan, { order, limit, offset }: Page): Promise<StoredChangelog[]> {
    const [where, values] = this.#within(span)
    const rows = await this.#rows.all<Row>(
      `SELECT number, date, user_name, description FROM publishing_changelogs l
       WHERE ${where} ORDER BY number ${order} LIMIT ? OFFSET ?`,
      [...values, limit, offset],
    )
    return rows.map(CHANGELOG.read)
  }

  /**
   * Yields the changes of one changelog entry, ordered by id. Only modifications include contents. The public
   * does not see records that were hidden at the time, nor modifications of records that are hidden now.
   */
  async *changes(
    { version, onlyPublic, id }: Pick<ChangelogSpan, 'version' | 'onlyPublic' | 'id'>,
    number: number,
  ): AsyncIterable<StoredChange> {
    const publicly = onlyPublic ? "AND h.is_public = 1 AND (h.type <> 'MOD' OR i.hidden = 0)" : ''
    const rows = this.#rows.each<Row>(
      `SELECT ${CHANGE} FROM publishing_changes h
       LEFT JOIN publishing_contents o ON h.type = 'MOD' AND o.fingerprint = h.old
       LEFT JOIN publishing_contents n ON h.type = 'MOD' AND n.fingerprint = h.new
       LEFT JOIN publishing_items i ON i.area = h.area AND i.version = h.version AND i.id = h.id
       WHERE h.area = ? AND h.version = ? AND h.number = ? ${publicly}
         ${id === undefined ? '' : 'AND h.id = ?'}
       ORDER BY h.id`,
      [this.#area, version, number, ...(id === undefined ? [] : [id])],
      HISTORY_ROWS_AT_ONCE,
    )
    for await (const row of rows) yield changeOf(row)
  }

  /** Yields the history of one record, newest first. */
  async *history(
    version: string,
    id: string,
    upTo: number,
  ): AsyncIterable<StoredChange & StoredChangelog> {
    const rows = this.#rows.each<Row>(
      `SELECT ${CHANGE}, l.number, l.date, l.user_name, l.description FROM publishing_changes h
       LEFT JOIN publishing_contents o ON o.fingerprint = h.old
       LEFT JOIN publishing_contents n ON n.fingerprint = h.new
       JOIN publishing_changelogs l
         ON l.area = h.area AND l.version = h.version AND l.number = h.number
       WHERE h.area = ? AND h.version = ? AND h.id = ? AND h.number <= ?
       ORDER BY h.number DESC`,
      [this.#area, version, id, upTo],
      HISTORY_ROWS_AT_ONCE,
    )
    for await (const row of rows) yield { ...changeOf(row), ...CHANGELOG.read(row) }
  }

  #within(span: ChangelogSpan): [where: string, values: Parameters] {
    const { version, upTo, onlyPublic, id, from, to } = span
    const parts = ['l.area = ? AND l.version = ? AND l.number <= ? AND l.date >= ? AND l.date < ?']
    const values = [this.#area, version, upTo, from, to]
    if (onlyPublic) parts.push('l.is_public = 1')
    if (id === undefined) return [parts.join(' AND '), values]
    parts.push(`EXISTS (SELECT 1 FROM publishing_changes h
      WHERE h.area = l.area AND h.version = l.version AND h.id = ? AND h.number = l.number
        AND h.is_public >= ?)`)
    return [parts.join(' AND '), [...values, id, onlyPublic ? 1 : 0]]
  }
}

/** Writes the changelogs within one transaction. */
export class ChangelogEdits {
  readonly #area: Area
  readonly #transaction: Transaction

  constructor(transaction: Transaction, area: Area) {
    this.#transaction = transaction
    this.#area = area
  }

  async add({ version, changes, ...entry }: NewChangelog): Promise<void> {
    const area = this.#area
    const { number } = entry
    const isSeen = changes.some(({ isPublic }) => isPublic) ? 1 : 0
    await this.#transaction.run(ADD, [area, version, ...CHANGELOG.values(entry), isSeen])
    function* rows(): Generator<Parameters> {
      for (const { id, name, type, isPublic, old, new: after } of changes) {
        yield [
          ...[area, version, number, id, name, type, isPublic ? 1 : 0],
          ...[old?.fingerprint ?? null, after?.fingerprint ?? null],
          notesJson(old),
          notesJson(after),
        ]
      }
    }
    await this.#transaction.runEach(ADD_CHANGE, rows())
  }
}

/** Columns of a change with the contents before and after it. */
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
