import type { Availability } from '../availability.ts'
import type { AccessOptions, Database, Dialect, Rows, Transaction } from './database.ts'
import type { TableSet } from './migrations.ts'
import { type DatabasePlace, openDatabase } from './open.ts'
import type { Parameters } from './values.ts'

/** A database that is opened on first use. If opening fails, the next call tries again. */
export class LazyDatabase implements Database {
  readonly dialect: Dialect
  readonly #open: () => Promise<Database>
  #opened: Promise<Database> | undefined
  #isClosed = false

  constructor(place: DatabasePlace, tableSets: readonly TableSet[]) {
    this.dialect = 'url' in place ? 'postgresql' : 'sqlite'
    this.#open = () => openDatabase(place, tableSets)
  }

  async ask<Row>(sql: string, parameters?: Parameters): Promise<Row[]> {
    return (await this.#database()).ask(sql, parameters)
  }

  async read<Result>(work: (rows: Rows) => Promise<Result>, options?: AccessOptions) {
    return (await this.#database()).read(work, options)
  }

  async write<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    options?: AccessOptions,
  ) {
    return (await this.#database()).write(work, options)
  }

  async availability(): Promise<Availability> {
    return this.#database().then(
      (database) => database.availability(),
      () => 'away',
    )
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const opened = await this.#opened?.catch(() => undefined)
    await opened?.close()
  }

  #database(): Promise<Database> {
    if (this.#isClosed) throw new Error('a database was used after it was closed')
    this.#opened ??= this.#open().catch((error) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }
}
