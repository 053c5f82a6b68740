import { keyedStatements } from '../../shared/database/by-keys.ts'
import type { Database, Rows, Transaction } from '../../shared/database/database.ts'
import type { Parameters } from '../../shared/database/values.ts'
import { columnsOf, optional, plain } from '../sql/columns.ts'
import { Questions } from '../sql/questions.ts'
import { insertInto, upsertInto } from '../sql/statements.ts'
import { learnOf } from '../sql/statistics.ts'

const CODE_AREAS = Object.freeze(['ndc', 'hcpcs'] as const)
type CodeArea = (typeof CODE_AREAS)[number]

/** A stored record; `listings` and `own` are JSON. */
export interface StoredCode {
  readonly code: string
  /** Content of the imported tables, keyed by kind. */
  readonly listings: string
  /** The registry's own part of the record. */
  readonly own: string | null
  readonly dateAdded: string
  readonly dateModified: string
  readonly dateRemoved: string | null
  readonly revision: number
}

/** One change to a record. `old` is the JSON before the change. */
export interface CodeEvent {
  readonly code: string
  readonly type: 'ADD' | 'MOD' | 'DEL'
  readonly date: string
  readonly user: string
  readonly comment?: string | undefined
  readonly old?: string | undefined
}

interface EventSpan {
  readonly order: 'ASC' | 'DESC'
  readonly limit: number
  readonly offset: number
}

/** A history entry, with the state after the change. */
interface StoredEvent extends CodeEvent {
  readonly revision: number
  /** The `old` state of the next entry, or undefined if this entry is the last one. */
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

/** Rows per query when a result may be very large. */
const PAGE_ROWS = 500

/** Selects records by code within an area. */
const RECORDS = keyedStatements(
  (places) => `SELECT * FROM code_records WHERE area = ? AND code IN (${places})`,
)

/**
 * Reads one area of codes. All SQL is in this file and is limited to what SQLite and PostgreSQL share.
 * Nothing is cached, because other processes may edit the records.
 */
export class CodeReads {
  readonly #area: CodeArea
  readonly #questions: Questions

  constructor(source: Database | Rows, area: CodeArea) {
    this.#questions = new Questions(source)
    this.#area = area
  }

  /** Returns the last assigned revision, or 0 if nothing has been stored yet. */
  async revision(): Promise<number> {
    const sql = 'SELECT last_given FROM code_revisions WHERE area = ?'
    return Number((await this.#questions.first(sql, this.#area))?.last_given)
  }

  async record(code: string): Promise<StoredCode | undefined> {
    return (await this.recordsOf([code])).get(code)
  }

  /** Returns the existing records among these codes. */
  async recordsOf(codes: readonly string[]): Promise<ReadonlyMap<string, StoredCode>> {
    const rows = await this.#questions.byKeys(RECORDS, [this.#area], codes)
    return new Map(rows.map((row) => [row.code as string, CODE.read(row)]))
  }

  /** Yields all records by ascending code. Until the end, change only records that have already been yielded. */
  async *records(): AsyncGenerator<StoredCode> {
    let last = ''
    const sql = 'SELECT * FROM code_records WHERE area = ? AND code > ? ORDER BY code LIMIT ?'
    for (;;) {
      const rows = await this.#questions.all(sql, this.#area, last, PAGE_ROWS)
      for (const row of rows) yield CODE.read(row)
      const end = rows.at(-1)
      if (!end) return
      last = end.code as string
    }
  }

  /** Yields the records stored after a revision, in order of revision. Reading may be paused. */
  async *recordsSince(revision: number): AsyncGenerator<StoredCode> {
    let last = { revision, code: '\uffff' }
    const sql = `SELECT * FROM code_records WHERE area = ? AND (revision, code) > (?, ?)
      ORDER BY revision, code LIMIT ?`
    for (;;) {
      const place = [last.revision, last.code, PAGE_ROWS]
      const rows = (await this.#questions.all(sql, this.#area, ...place)).map(CODE.read)
      yield* rows
      const end = rows.at(-1)
      if (!end) return
      last = end
    }
  }

  /** Returns the codes of records that were deleted after a revision and not recreated. */
  async deletedSince(revision: number): Promise<string[]> {
    const sql = `SELECT DISTINCT h.code FROM code_history h
      WHERE h.area = ? AND h.revision > ? AND h.type = 'DEL' AND NOT EXISTS
        (SELECT 1 FROM code_records r WHERE r.area = h.area AND r.code = h.code)`
    const rows = await this.#questions.all(sql, this.#area, revision)
    return rows.map((row) => row.code as string)
  }

  /** Returns a range of the history of a record, even if the record has been deleted. */
  async events(code: string, { order, limit, offset }: EventSpan): Promise<StoredEvent[]> {
    const sql = `SELECT e.*, (SELECT n.old FROM code_history n
        WHERE n.area = e.area AND n.code = e.code AND n.revision > e.revision
        ORDER BY n.revision LIMIT 1) AS next
      FROM code_history e WHERE e.area = ? AND e.code = ?
      ORDER BY e.revision ${order} LIMIT ? OFFSET ?`
    const rows = await this.#questions.all(sql, this.#area, code, limit, offset)
    return rows.map((row) => ({
      ...EVENT.read(row),
      revision: row.revision as number,
      next: (row.next as string | null) ?? undefined,
    }))
  }

  /** Counts the history entries of a code. */
  async countEvents(code: string): Promise<number> {
    const sql = 'SELECT count(*) AS entries FROM code_history WHERE area = ? AND code = ?'
    return Number((await this.#questions.first(sql, this.#area, code))?.entries)
  }

  /** Returns whether a code has any history. */
  async knows(code: string): Promise<boolean> {
    const sql = 'SELECT 1 FROM code_history WHERE area = ? AND code = ? LIMIT 1'
    return (await this.#questions.first(sql, this.#area, code)) !== undefined
  }
}

/** Reads and writes within one transaction. */
export class CodeEdits extends CodeReads {
  readonly #area: CodeArea
  readonly #transaction: Transaction

  constructor(transaction: Transaction, area: CodeArea) {
    super(transaction, area)
    this.#area = area
    this.#transaction = transaction
  }

  async nextRevision(): Promise<number> {
    const row = await this.#transaction.get<{ last_given: number }>(
      'UPDATE code_revisions SET last_given = last_given + 1 WHERE area = ? RETURNING last_given',
      [this.#area],
    )
    return Number(row?.last_given)
  }

  async put(records: Iterable<StoredCode>): Promise<void> {
    const area = this.#area
    function* rows(): Generator<Parameters> {
      for (const stored of records) yield [area, ...CODE.values(stored)]
    }
    await this.#transaction.runEach(PUT_CODE, rows())
  }

  async delete(code: string): Promise<void> {
    const sql = 'DELETE FROM code_records WHERE area = ? AND code = ?'
    await this.#transaction.run(sql, [this.#area, code])
  }

  async addEvents(revision: number, events: Iterable<CodeEvent>): Promise<void> {
    const area = this.#area
    function* rows(): Generator<Parameters> {
      for (const event of events) yield [area, revision, ...EVENT.values(event)]
    }
    await this.#transaction.runEach(ADD_EVENT, rows())
  }
}

/** Reads an area of codes from the current state of the database. */
export class CodeRepository extends CodeReads {
  readonly #database: Database
  readonly #area: CodeArea

  constructor(database: Database, area: CodeArea) {
    super(database, area)
    this.#database = database
    this.#area = area
  }

  /** Reads from one consistent snapshot. */
  snapshot<Result>(read: (at: CodeReads) => Promise<Result>): Promise<Result> {
    return this.#database.read((rows) => read(new CodeReads(rows, this.#area)))
  }

  /** Updates the query statistics after a large import; see learnOf. */
  learn(records: number): Promise<void> {
    return learnOf(this.#database, ['code_records', 'code_history'], records)
  }

  /** Runs `work` in one transaction, like Database.write. */
  transaction<Result>(work: (edits: CodeEdits) => Promise<Result>): Promise<Result> {
    return this.#database.write((transaction) => work(new CodeEdits(transaction, this.#area)))
  }
}
