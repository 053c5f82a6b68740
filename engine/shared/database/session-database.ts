import type { Availability } from '../availability.ts'
import { Gate } from '../concurrency/gate.ts'
import { EngineError } from '../errors.ts'
import type { AccessOptions, Database, Dialect, Rows, Transaction } from './database.ts'
import type { Session } from './session.ts'
import { Statements } from './statements.ts'
import type { Parameters } from './values.ts'
import { keepable } from './values.ts'

/** Snapshots at the same time. */
export const READERS = 8

/** How many may wait for their turn, and for how long. */
const WAITING = 1000
const WAIT_MILLISECONDS = 30_000

const BUSY = 'the database has too much to do; try again in a moment'

/** What the dialects have to bring. */
export interface Backend {
  readonly dialect: Dialect
  /** At most one for `write` and READERS for `read` are asked for at a time. */
  session(kind: 'read' | 'write'): Promise<Session>
  /** Answers a statement outside of any transaction; counts as a session for `read`. */
  ask?(sql: string, parameters: Parameters): Promise<unknown[]>
  /** As `ask`, of a backend that has answered when it returns, so that nobody has to wait for a turn. */
  askNow?(sql: string, parameters: Parameters): unknown[]
  /** Of a server. What lies on the disk of this machine is as available as that disk. */
  availability?(): Promise<Availability>
  close(): Promise<void>
}

/** A database whose work is done by sessions of a backend. */
export class SessionDatabase implements Database {
  readonly #backend: Backend
  readonly #gates = {
    read: new Gate(READERS, WAITING, BUSY),
    write: new Gate(1, WAITING, BUSY),
  }
  readonly #underWay = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(backend: Backend) {
    this.#backend = backend
  }

  get dialect(): Dialect {
    return this.#backend.dialect
  }

  async ask<Row>(sql: string, parameters: Parameters = []): Promise<Row[]> {
    if (!this.#backend.askNow) return this.#follow(this.#ask<Row>(sql, parameters))
    this.#requireOpen()
    return this.#backend.askNow(sql, keepable(parameters)) as Row[]
  }

  read<Result>(work: (rows: Rows) => Promise<Result>, options: AccessOptions = {}) {
    return this.#follow(this.#inTurn('read', work, options))
  }

  write<Result>(work: (transaction: Transaction) => Promise<Result>, options: AccessOptions = {}) {
    return this.#follow(this.#inTurn('write', work, options))
  }

  /** A write transaction that also runs texts of several statements. */
  changeSchema(
    work: (transaction: Transaction, script: (sql: string) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const change = (statements: Transaction, session: Session) =>
      work(statements, (sql) => session.script(sql))
    return this.#follow(this.#inTurn('write', change, {}))
  }

  async availability(): Promise<Availability> {
    return this.#backend.availability?.() ?? 'available'
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(() => this.#backend.close())
    return this.#closing
  }

  async #follow<Result>(work: Promise<Result>): Promise<Result> {
    this.#underWay.add(work)
    try {
      return await work
    } finally {
      this.#underWay.delete(work)
    }
  }

  async #ask<Row>(sql: string, parameters: Parameters): Promise<Row[]> {
    if (!this.#backend.ask)
      return this.#inTurn('read', (rows) => rows.all<Row>(sql, parameters), {})
    this.#requireOpen()
    const leave = this.#gates.read.tryEnter() ?? (await this.#enter('read', undefined))
    try {
      return (await this.#backend.ask(sql, keepable(parameters))) as Row[]
    } finally {
      leave()
    }
  }

  async #inTurn<Result>(
    kind: 'read' | 'write',
    work: (statements: Statements, session: Session) => Promise<Result>,
    { signal }: AccessOptions,
  ): Promise<Result> {
    this.#requireOpen()
    signal?.throwIfAborted()
    // Where there is space nothing is made that only a wait needs: what is asked in every request is short.
    const leave = this.#gates[kind].tryEnter() ?? (await this.#enter(kind, signal))
    try {
      const session = await this.#backend.session(kind)
      const result = await carryOut(session, work)
      await (kind === 'write' ? session.commit() : session.rollback())
      return result
    } finally {
      leave()
    }
  }

  #requireOpen(): void {
    if (this.#closing) throw new EngineError('unavailable', 'the database is closed')
  }

  async #enter(kind: 'read' | 'write', signal: AbortSignal | undefined): Promise<() => void> {
    const tooLong = new AbortController()
    const giveUp = () => tooLong.abort(new EngineError('busy', BUSY))
    const timer = setTimeout(giveUp, WAIT_MILLISECONDS)
    const signals = signal ? [signal, tooLong.signal] : [tooLong.signal]
    try {
      return await this.#gates[kind].enter(AbortSignal.any(signals))
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Does the work; what fails is rolled back. */
async function carryOut<Result>(
  session: Session,
  work: (statements: Statements, session: Session) => Promise<Result>,
): Promise<Result> {
  const statements = new Statements(session)
  try {
    const result = await work(statements, session)
    await statements.end()
    return result
  } catch (error) {
    // What is under way ends before the rollback; `error` says why it failed.
    await statements.end().catch(() => {})
    await session.rollback()
    throw error
  }
}
