import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { inSnapshot, inTransaction } from '../../shared/catalogue/state.ts'

export type Row = Readonly<Record<string, unknown>>

/** Statements of a database, each prepared once. */
export class Statements {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Runs `work` in one transaction, durable when this returns; see inTransaction. */
  transaction<Result>(work: () => Result): Result {
    return inTransaction(this.#database, work)
  }

  /** Reads everything as it is at one moment; see inSnapshot. */
  snapshot<Result>(read: () => Result): Result {
    return inSnapshot(this.#database, read)
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.prepare(sql).all(...values)
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.prepare(sql).run(...values)
  }

  prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }
}

/** SQL that adds a row. Names are the program's own, never given from outside. */
export function insertInto(table: string, columns: readonly string[]): string {
  const values = columns.map(() => '?').join(', ')
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`
}

/** As insertInto; a row that has the key already is replaced. */
export function upsertInto(
  table: string,
  columns: readonly string[],
  key: readonly string[],
): string {
  const others = columns.filter((column) => !key.includes(column))
  const sets = others.map((column) => `${column} = excluded.${column}`).join(', ')
  return `${insertInto(table, columns)} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sets}`
}
