import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { inTransaction } from '../../shared/catalogue/state.ts'

/** The tables that stand in the database instead of those of the program. All SQL of this room. */
export class TableRepository {
  readonly #state: DatabaseSync
  readonly #revision: StatementSync
  readonly #read: StatementSync
  readonly #write: StatementSync

  constructor(state: DatabaseSync) {
    this.#state = state
    this.#revision = state.prepare('SELECT revision FROM hematopoietic_tables')
    this.#read = state.prepare('SELECT revision, document FROM hematopoietic_tables')
    this.#write = state.prepare(
      'UPDATE hematopoietic_tables SET revision = revision + 1, document = ?',
    )
  }

  /** Another one after every change, whichever process makes it. */
  revision(): number {
    return Number(this.#revision.get()?.revision)
  }

  /** JSON of all tables, or null for those of the program, and the revision that it is of. */
  read(): { readonly revision: number; readonly document: string | null } {
    const { revision, document } = this.#read.get() ?? {}
    return { revision: Number(revision), document: document === null ? null : String(document) }
  }

  write(document: string | null): void {
    this.#write.run(document)
  }

  transaction<Result>(work: () => Result): Result {
    return inTransaction(this.#state, work)
  }
}
