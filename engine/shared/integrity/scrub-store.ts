import type { Database } from '../database/database.ts'

/** How far the scrub is, as all servers of one database see it. */
export interface ScrubState {
  /** Goes up with everything that is written here. */
  readonly turn: number
  /** The last file that the pass under way has looked at; empty at its start. */
  readonly lastId: string
  /** How many files that were. */
  readonly files: number
  /** Of the pass under way, if there is one. */
  readonly startedAt: string | null
  /** Of the last full pass, if there was one. */
  readonly finishedAt: string | null
}

const READ = `
  SELECT turn, last_id AS "lastId", files, started_at AS "startedAt", finished_at AS "finishedAt"
  FROM content_scrub`

const WRITE = `
  UPDATE content_scrub SET turn = ?, last_id = ?, files = ?, started_at = ?, finished_at = ?
  WHERE turn = ?`

/** Where the scrub writes down how far it is. */
export class ScrubStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async read(): Promise<ScrubState> {
    const [state] = await this.#database.ask<ScrubState>(READ)
    if (!state) throw new Error('the row of the scrub is missing')
    return state
  }

  /** Goes a turn on from `before`; `undefined` when somebody else has. */
  async advance(
    before: ScrubState,
    changes: Partial<Omit<ScrubState, 'turn'>>,
  ): Promise<ScrubState | undefined> {
    const next = { ...before, ...changes, turn: before.turn + 1 }
    const { turn, lastId, files, startedAt, finishedAt } = next
    const values = [turn, lastId, files, startedAt, finishedAt, before.turn]
    const written = await this.#database.write((transaction) => transaction.run(WRITE, values))
    return written.changes === 1 ? next : undefined
  }
}
