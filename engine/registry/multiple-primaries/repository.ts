import type { Database } from '../../shared/database/database.ts'
import { Questions } from '../sql/questions.ts'

/** JSON of all tables and its revision. The JSON is null if the tables of the program are in use. */
interface StoredTables {
  readonly revision: number
  readonly document: string | null
}

/** Stores tables that replace those of the program. All SQL of this folder is in this file. */
export class TableRepository {
  readonly #database: Database
  readonly #questions: Questions

  constructor(database: Database) {
    this.#database = database
    this.#questions = new Questions(database)
  }

  /** Returns the revision, which changes with every edit by any process. */
  async revision(): Promise<number> {
    const row = await this.#questions.first('SELECT revision FROM hematopoietic_tables')
    return Number(row?.revision)
  }

  read(): Promise<StoredTables> {
    return readTables(this.#questions)
  }

  /** Replaces the tables with the result of `make` in one transaction. */
  replace<Result>(
    make: (before: string | null) => { readonly document: string | null; readonly result: Result },
  ): Promise<Result> {
    return this.#database.write(async (transaction) => {
      const { document: before } = await readTables(new Questions(transaction))
      const { document, result } = make(before)
      if (document !== before) {
        const sql = 'UPDATE hematopoietic_tables SET revision = revision + 1, document = ?'
        await transaction.run(sql, [document])
      }
      return result
    })
  }
}

async function readTables(questions: Questions): Promise<StoredTables> {
  const row = await questions.first('SELECT revision, document FROM hematopoietic_tables')
  return { revision: Number(row?.revision), document: (row?.document ?? null) as string | null }
}
