import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** The rows of one code, in file order. */
export interface CodeGroup<Row> {
  readonly code: string
  readonly rows: readonly Row[]
}

/**
 * Groups rows by code on disk, because a table may be larger than memory. The temporary file is unlinked while
 * it is open, so it disappears with the process.
 */
export class RowSpool<Row> {
  readonly #database = new DatabaseSync('')
  readonly #insert: StatementSync
  readonly #find: StatementSync
  #added = 0
  #places = 0

  constructor() {
    this.#database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      CREATE TABLE spooled (code TEXT, place INTEGER, row TEXT, PRIMARY KEY (code, place))
        WITHOUT ROWID;
      BEGIN`)
    const insert = 'INSERT INTO spooled VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    this.#insert = this.#database.prepare(insert)
    this.#find = this.#database.prepare('SELECT 1 FROM spooled WHERE code = ? LIMIT 1')
  }

  has(code: string): boolean {
    return this.#find.get(code) !== undefined
  }

  /**
   * Adds a row to its code.
   * @param place position among the rows of the code; defaults to the end. Do not mix both for one code
   * @returns whether the position was free and the row was added
   */
  add(code: string, row: Row, place = this.#places++): boolean {
    const { changes } = this.#insert.run(code, place, JSON.stringify(row))
    if (changes === 0) return false
    this.#added++
    return true
  }

  /** Number of rows added. */
  get size(): number {
    return this.#added
  }

  /** Yields the groups in ascending order of codes. */
  *groups(): Generator<CodeGroup<Row>> {
    let open: { code: string; rows: Row[] } | undefined
    const all = this.#database.prepare('SELECT code, row FROM spooled ORDER BY code, place')
    for (const { code, row } of all.iterate() as Iterable<{ code: string; row: string }>) {
      if (open?.code !== code) {
        if (open) yield open
        open = { code, rows: [] }
      }
      open.rows.push(JSON.parse(row) as Row)
    }
    if (open) yield open
  }

  close(): void {
    this.#database.close()
  }
}
