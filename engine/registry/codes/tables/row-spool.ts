import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** What rows say of one code, in their order. */
export interface CodeGroup<Row> {
  readonly code: string
  readonly rows: readonly Row[]
}

/**
 * What rows say, by code, on disk: a table may be larger than the memory. The file is the system's
 * as soon as it is open, so it is gone with the process, however that ends.
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
   * @param place among the rows of its code; left out, behind those before. Not both for one code
   * @returns whether the place was free, so that the row is in
   */
  add(code: string, row: Row, place = this.#places++): boolean {
    const { changes } = this.#insert.run(code, place, JSON.stringify(row))
    if (changes === 0) return false
    this.#added++
    return true
  }

  /** Rows that are in. */
  get size(): number {
    return this.#added
  }

  /** By ascending codes. */
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
