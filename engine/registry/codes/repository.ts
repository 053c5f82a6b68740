import type { DatabaseSync } from 'node:sqlite'
import { columnsOf, optional, plain } from '../sql/columns.ts'
import { insertInto, Statements, upsertInto } from '../sql/statements.ts'

export const CODE_AREAS = Object.freeze(['ndc', 'hcpcs'] as const)
export type CodeArea = (typeof CODE_AREAS)[number]

/** A record as it is stored; `listings` and `own` are JSON. */
export interface StoredCode {
  readonly code: string
  /** What imported tables say, by their kind. */
  readonly listings: string
  /** What the registry says itself. */
  readonly own: string | null
  readonly dateAdded: string
  readonly dateModified: string
  readonly dateRemoved: string | null
  readonly revision: number
}

/** What was done to a record; `old` is the JSON of it before. */
export interface CodeEvent {
  readonly code: string
  readonly type: 'ADD' | 'MOD' | 'DEL'
  readonly date: string
  readonly user: string
  readonly comment?: string | undefined
  readonly old?: string | undefined
}

export interface EventSpan {
  readonly order: 'ASC' | 'DESC'
  readonly limit: number
  readonly offset: number
}

/** An entry of the history with what came after it, too. */
export interface StoredEvent extends CodeEvent {
  readonly revision: number
  /** What the next entry was before; undefined where there is none. */
  readonly next: string | undefined
}

const CODE = columnsOf<StoredCode>({
  code: plain('code'),
  listings: plain('listings'),
  own: plain('own'),
  dateAdded: plain('date_added'),
  dateModified: plain('date_modified'),
  dateRemoved: plain('date_removed'),
  revision: plain('revision'),
})

const EVENT = columnsOf<CodeEvent>({
  code: plain('code'),
  type: plain('type'),
  date: plain('date'),
  user: plain('user_name'),
  comment: optional('comment'),
  old: optional('old'),
})

const PUT_CODE = upsertInto('code_records', ['area', ...CODE.names], ['area', 'code'])
const ADD_EVENT = insertInto('code_history', ['area', 'revision', ...EVENT.names])

/** Rows that are read at a time where there may be very many. */
const PAGE_ROWS = 500

/**
 * All SQL of one area of codes. Keeps to what SQLite and PostgreSQL have in common, and nothing in
 * memory: other processes may edit. Writing is for inside `transaction`.
 */
export class CodeRepository {
  readonly #area: CodeArea
  readonly #statements: Statements

  constructor(state: DatabaseSync, area: CodeArea) {
    this.#statements = new Statements(state)
    this.#area = area
  }

  /** Runs `work` in one transaction, durable when this returns; see inTransaction. */
  transaction<Result>(work: () => Result): Result {
    return this.#statements.transaction(work)
  }

  /** The last one that was given; 0 when nothing was stored yet. */
  revision(): number {
    const sql = 'SELECT last_given FROM code_revisions WHERE area = ?'
    return Number(this.#statements.all(sql, this.#area)[0]?.last_given)
  }

  nextRevision(): number {
    const [row] = this.#statements.all(
      'UPDATE code_revisions SET last_given = last_given + 1 WHERE area = ? RETURNING last_given',
      this.#area,
    )
    return Number(row?.last_given)
  }

  record(code: string): StoredCode | undefined {
    const sql = 'SELECT * FROM code_records WHERE area = ? AND code = ?'
    return this.#statements.all(sql, this.#area, code).map(CODE.read)[0]
  }

  /** All records by their codes, ascending. Only codes before the one at hand may be changed meanwhile. */
  *records(): Generator<StoredCode> {
    let last = ''
    const sql = 'SELECT * FROM code_records WHERE area = ? AND code > ? ORDER BY code LIMIT ?'
    for (;;) {
      const rows = this.#statements.all(sql, this.#area, last, PAGE_ROWS).map(CODE.read)
      yield* rows
      const end = rows.at(-1)
      if (!end) return
      last = end.code
    }
  }

  /** Records that were stored after a revision, in the order of theirs. May be read with pauses. */
  *recordsSince(revision: number): Generator<StoredCode> {
    let last = { revision, code: '\uffff' }
    const sql = `SELECT * FROM code_records WHERE area = ? AND (revision, code) > (?, ?)
      ORDER BY revision, code LIMIT ?`
    for (;;) {
      const place = [last.revision, last.code, PAGE_ROWS]
      const rows = this.#statements.all(sql, this.#area, ...place).map(CODE.read)
      yield* rows
      const end = rows.at(-1)
      if (!end) return
      last = end
    }
  }

  /** Codes of records that were deleted after a revision and are not there now. */
  deletedSince(revision: number): string[] {
    const sql = `SELECT DISTINCT h.code FROM code_history h
      WHERE h.area = ? AND h.revision > ? AND h.type = 'DEL' AND NOT EXISTS
        (SELECT 1 FROM code_records r WHERE r.area = h.area AND r.code = h.code)`
    return this.#statements.all(sql, this.#area, revision).map((row) => row.code as string)
  }

  put(stored: StoredCode): void {
    this.#statements.run(PUT_CODE, this.#area, ...CODE.values(stored))
  }

  delete(code: string): void {
    this.#statements.run('DELETE FROM code_records WHERE area = ? AND code = ?', this.#area, code)
  }

  addEvent(revision: number, event: CodeEvent): void {
    this.#statements.run(ADD_EVENT, this.#area, revision, ...EVENT.values(event))
  }

  /** What was done to one record, which may be deleted by now. */
  events(code: string, { order, limit, offset }: EventSpan): StoredEvent[] {
    const sql = `SELECT e.*, (SELECT n.old FROM code_history n
        WHERE n.area = e.area AND n.code = e.code AND n.revision > e.revision
        ORDER BY n.revision LIMIT 1) AS next
      FROM code_history e WHERE e.area = ? AND e.code = ?
      ORDER BY e.revision ${order} LIMIT ? OFFSET ?`
    return this.#statements.all(sql, this.#area, code, limit, offset).map((row) => ({
      ...EVENT.read(row),
      revision: row.revision as number,
      next: (row.next as string | null) ?? undefined,
    }))
  }

  /** Whether anything was ever done to a code. */
  knows(code: string): boolean {
    const sql = 'SELECT 1 FROM code_history WHERE area = ? AND code = ? LIMIT 1'
    return this.#statements.all(sql, this.#area, code).length > 0
  }
}
