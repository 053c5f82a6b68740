import type { DatabaseSync } from 'node:sqlite'
import { Statements } from '../sql/statements.ts'

/** The tables that stand in the database instead of those of the program. All SQL of this folder. */
export class TableRepository {
  readonly #statements: Statements

  constructor(state: DatabaseSync) {
    this.#statements = new Statements(state)
  }

  /** Another one after every change, whichever process makes it. */
  revision(): number {
    const [row] = this.#statements.all('SELECT revision FROM hematopoietic_tables')
    return Number(row?.revision)
  }

  /** JSON of all tables, or null for those of the program, and the revision that it is of. */
  read(): { readonly revision: number; readonly document: string | null } {
    const [row] = this.#statements.all('SELECT revision, document FROM hematopoietic_tables')
    return { revision: Number(row?.revision), document: (row?.document ?? null) as string | null }
  }

  write(document: string | null): void {
    const sql = 'UPDATE hematopoietic_tables SET revision = revision + 1, document = ?'
    this.#statements.run(sql, document)
  }

  transaction<Result>(work: () => Result): Result {
    return this.#statements.transaction(work)
  }
}
