import type { Packed } from '../../arrays/packed.ts'
import type { Cursor, Session } from '../session.ts'
import { type Backend, READERS } from '../session-database.ts'
import type { Parameters } from '../values.ts'
import { Conversation } from './conversation.ts'
import type { Command, Commands, StartThread, ThreadTask } from './protocol.ts'

export interface SqliteOptions {
  readonly path: string
  readonly startThread: StartThread
}

/**
 * Backend for an embedded database. Calls of SQLite block, so they run on two threads. One is for the writer and
 * one for readers, so that writes do not wait for reads. A thread that has died is replaced when it is next
 * needed.
 */
export class SqliteBackend implements Backend {
  readonly dialect = 'sqlite'
  readonly #options: SqliteOptions
  readonly #conversations = new Map<ThreadTask['role'], Conversation>()
  readonly #freeLanes = Array.from({ length: READERS }, (_, lane) => lane)

  constructor(options: SqliteOptions) {
    this.#options = options
  }

  async session(kind: 'read' | 'write'): Promise<Session> {
    if (kind === 'write') return new SqliteSession(this.#conversation('writer'), 0, () => {})
    const lane = this.#freeLanes.pop() ?? READERS
    return new SqliteSession(this.#conversation('readers'), lane, () => this.#freeLanes.push(lane))
  }

  /** Creates the first table if one is given. */
  async prepare(firstTable: string | undefined): Promise<void> {
    if (firstTable === undefined) return
    const session = await this.session('write')
    try {
      await session.script(firstTable)
    } catch (error) {
      await session.rollback()
      throw error
    }
    await session.commit()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#conversations.values()].map((one) => one.close()))
  }

  #conversation(role: ThreadTask['role']): Conversation {
    const open = this.#conversations.get(role)
    if (open && !open.hasEnded) return open
    const { path, startThread } = this.#options
    const conversation = new Conversation(startThread({ path, role }))
    this.#conversations.set(role, conversation)
    return conversation
  }
}

class SqliteSession implements Session {
  readonly #conversation: Conversation
  readonly #lane: number
  readonly #giveBack: () => void
  #hasBegun = false
  #lastCursor = 0

  constructor(conversation: Conversation, lane: number, giveBack: () => void) {
    this.#conversation = conversation
    this.#lane = lane
    this.#giveBack = giveBack
  }

  query(wanted: Commands['query']['wanted'], sql: string, parameters: Parameters) {
    return this.#ask({ kind: 'query', wanted, sql, parameters })
  }

  queryEach(sql: string, rows: readonly Parameters[] | Packed) {
    return this.#ask({ kind: 'queryEach', sql, rows })
  }

  script(sql: string) {
    return this.#ask({ kind: 'script', sql })
  }

  cursor(sql: string, parameters: Parameters): Cursor {
    const cursor = ++this.#lastCursor
    let isOpen = false
    return {
      next: (count) => {
        const opens = isOpen ? {} : { opens: { sql, parameters } }
        isOpen = true
        return this.#ask({ kind: 'page', cursor, count, ...opens })
      },
      close: () => this.#ask({ kind: 'closeCursor', cursor }),
    }
  }

  async commit(): Promise<void> {
    if (!this.#hasBegun) return this.#giveBack()
    try {
      await this.#conversation.ask(this.#lane, false, { kind: 'commit' })
      this.#giveBack()
    } catch (error) {
      await this.rollback()
      throw error
    }
  }

  async rollback(): Promise<void> {
    // The call is not awaited. The next transaction of this connection waits for the rollback.
    if (this.#hasBegun) {
      this.#conversation.ask(this.#lane, false, { kind: 'rollback' }).catch(() => {})
    }
    this.#giveBack()
  }

  #ask<Kind extends keyof Commands>(ask: Command & { readonly kind: Kind }) {
    const begins = !this.#hasBegun
    this.#hasBegun = true
    return this.#conversation.ask(this.#lane, begins, ask)
  }
}
