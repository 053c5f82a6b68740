import { type KeyedStatements, rowsByKeys } from '../../shared/database/by-keys.ts'
import type { Database, Rows } from '../../shared/database/database.ts'
import type { Parameters, Value } from '../../shared/database/values.ts'

export type Row = Readonly<Record<string, unknown>>

/** Reads what is small: of one snapshot or transaction, or of the database as it is at each question. */
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

  /** Rows by keys, which stand between other values of the statement. */
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

/** No text that is stored has U+0000 in it, so none equals one that has. */
function isNowhere(value: Value): boolean {
  return typeof value === 'string' && value.includes('\0')
}
