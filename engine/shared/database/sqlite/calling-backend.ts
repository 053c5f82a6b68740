import type { Packed } from '../../arrays/packed.ts'
import type { Cursor, Session, Wanted } from '../session.ts'
import type { Backend } from '../session-database.ts'
import type { Parameters } from '../values.ts'
import { statementError } from './errors.ts'
import { type Lane, openLane } from './lane.ts'

/** Pages of the log after which a commit writes them back in the caller's turn. 4 MiB take a few milliseconds. */
const CHECKPOINT_PAGES = 1000

/**
 * Backend whose connections belong to the calling thread. For small queries in every request, for which a
 * message to a worker thread would cost more than the query. The calls block, so a transaction that stays open
 * while another database of this thread waits for the same file would cause a deadlock. Each transaction
 * therefore begins in a turn of the event loop of its own. Since it awaits only its own statements, it ends
 * before the next turn.
 */
export class CallingBackend implements Backend {
  readonly dialect = 'sqlite'
  readonly #path: string
  readonly #subject: string
  readonly #readers: Lane[] = []
  #writer: Lane | undefined

  /** @param subject name of the database in messages */
  constructor(path: string, subject: string) {
    this.#path = path
    this.#subject = subject
  }

  async session(kind: 'read' | 'write'): Promise<Session> {
    if (kind === 'write') {
      await new Promise((resolve) => setImmediate(resolve))
      this.#writer ??= openLane({ path: this.#path, role: 'writer' }, CHECKPOINT_PAGES)
      return new CallingSession(this.#writer, 'IMMEDIATE', this.#subject, () => {})
    }
    const lane = this.#reader()
    return new CallingSession(lane, 'DEFERRED', this.#subject, () => this.#readers.push(lane))
  }

  askNow(sql: string, parameters: Parameters): unknown[] {
    const lane = this.#reader()
    try {
      return lane.ask(sql, parameters)
    } catch (error) {
      throw statementError(error, this.#subject)
    } finally {
      this.#readers.push(lane)
    }
  }

  #reader(): Lane {
    return this.#readers.pop() ?? openLane({ path: this.#path, role: 'readers' })
  }

  async close(): Promise<void> {
    for (const lane of this.#readers.splice(0)) lane.close()
    this.#writer?.close()
    this.#writer = undefined
  }
}

/** Session whose statements run synchronously, and therefore in order. */
export class CallingSession implements Session {
  readonly #lane: Lane
  readonly #mode: 'IMMEDIATE' | 'DEFERRED'
  readonly #subject: string
  readonly #giveBack: () => void
  #hasBegun = false
  #lastCursor = 0

  constructor(lane: Lane, mode: 'IMMEDIATE' | 'DEFERRED', subject: string, giveBack: () => void) {
    this.#lane = lane
    this.#mode = mode
    this.#subject = subject
    this.#giveBack = giveBack
  }

  async query(wanted: Wanted, sql: string, parameters: Parameters) {
    return this.#do(() => this.#lane.query({ wanted, sql, parameters }))
  }

  async queryEach(sql: string, rows: readonly Parameters[] | Packed): Promise<void> {
    this.#do(() => this.#lane.queryEach({ sql, rows }))
  }

  async script(sql: string): Promise<void> {
    this.#do(() => this.#lane.script({ sql }))
  }

  cursor(sql: string, parameters: Parameters): Cursor {
    const cursor = ++this.#lastCursor
    let isOpen = false
    return {
      next: async (count) => {
        const opens = isOpen ? {} : { opens: { sql, parameters } }
        isOpen = true
        return this.#do(() => this.#lane.page({ cursor, count, ...opens }))
      },
      close: async () => this.#do(() => this.#lane.closeCursor({ cursor })),
    }
  }

  async commit(): Promise<void> {
    try {
      if (this.#hasBegun) this.#do(() => this.#lane.commit())
    } catch (error) {
      this.#lane.rollback()
      throw error
    } finally {
      this.#giveBack()
    }
  }

  async rollback(): Promise<void> {
    this.#lane.rollback()
    this.#giveBack()
  }

  #do<Result>(act: () => Result): Result {
    try {
      if (!this.#hasBegun) {
        this.#lane.begin(this.#mode)
        this.#hasBegun = true
      }
      return act()
    } catch (error) {
      throw statementError(error, this.#subject)
    }
  }
}
