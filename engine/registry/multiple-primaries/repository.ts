import type { Database } from '../../shared/database/database.ts'
import { Questions } from '../sql/questions.ts'

/** JSON of all tables, or null for those of the program, and the revision that it is of. */
export interface StoredTables {
  readonly revision: number
  readonly document: string | null
}

/** The tables that stand in the database instead of those of the program. All SQL of this folder. */
export class TableRepository {
  readonly #database: Database
  readonly #questions: Questions

  constructor(database: Database) {
    this.#database = database
    this.#questions = new Questions(database)
  }

  /** Another one after every change, whichever process makes it. */
  async revision(): Promise<number> {
    const row = await this.#questions.first('SELECT revision FROM hematopoietic_tables')
    return Number(row?.revision)
  }

  read(): Promise<StoredTables> {
    return readTables(this.#questions)
  }

  /** Puts in place of the tables what is made of them, in one transaction. */
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
