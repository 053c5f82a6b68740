import type { Database } from '../database/database.ts'

/** Progress of the scrub, shared by all servers of a database. */
export interface ScrubState {
  /** Number that increases with every write. A write fails if another server has increased it. */
  readonly turn: number
  /** Last file that the current pass has checked, or empty at its start. */
  readonly lastId: string
  /** Number of files that were checked in this pass. */
  readonly files: number
  /** Start of the current pass. Null if no pass is running. */
  readonly startedAt: string | null
  /** End of the last complete pass. Null if there has been none. */
  readonly finishedAt: string | null
}

const READ = `
  SELECT turn, last_id AS "lastId", files, started_at AS "startedAt", finished_at AS "finishedAt"
  FROM content_scrub`

const WRITE = `
  UPDATE content_scrub SET turn = ?, last_id = ?, files = ?, started_at = ?, finished_at = ?
  WHERE turn = ?`

/** Stores the progress of the scrub. */
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

  /** Writes the next state. If another server has written since `before`, writes nothing and returns `undefined`. */
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
