import { type KeyedStatements, rowsByKeys } from '../../shared/database/by-keys.ts'
import type { Database, Rows } from '../../shared/database/database.ts'
import type { Parameters, Value } from '../../shared/database/values.ts'

export type Row = Readonly<Record<string, unknown>>

/** Runs small queries against a snapshot, a transaction, or the current state of the database. */
export class Questions {
  readonly #ask: (sql: string, parameters: Parameters) => Promise<Row[]>

  constructor(source: Database | Rows) {
    this.#ask =
      'ask' in source
        ? (sql, parameters) => source.ask<Row>(sql, parameters)
        : (sql, parameters) => source.all<Row>(sql, parameters)
  }

  all(sql: string, ...values: Value[]): Promise<Row[]> {
    return values.some(isNowhere) ? NOTHING : this.#ask(sql, values)
  }

  first(sql: string, ...values: Value[]): Promise<Row | undefined> {
    return this.all(sql, ...values).then(firstOf)
  }

  /** Selects rows by keys. The statement has the keys between its other parameters. */
  byKeys(
    statements: KeyedStatements,
    before: Parameters,
    keys: readonly string[],
    after: Parameters = [],
  ): Promise<Row[]> {
    const ask = (sql: string, some: Parameters) => this.all(sql, ...before, ...some, ...after)
    return rowsByKeys(
      ask,
      statements,
      keys.filter((key) => !isNowhere(key)),
    )
  }
}

const firstOf = ([row]: readonly Row[]) => row

const NOTHING: Promise<Row[]> = Promise.resolve([])

/** Returns whether no record can have the value. No stored text contains U+0000. */
function isNowhere(value: Value): boolean {
  return typeof value === 'string' && value.includes('\0')
}
