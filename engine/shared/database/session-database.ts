import type { Availability } from '../availability.ts'
import { Gate } from '../concurrency/gate.ts'
import { EngineError } from '../errors.ts'
import type { AccessOptions, Database, Dialect, Rows, Transaction } from './database.ts'
import type { Session } from './session.ts'
import { Statements } from './statements.ts'
import type { Parameters } from './values.ts'
import { storable } from './values.ts'

/** Maximum number of concurrent read transactions. */
export const READERS = 8

/** Maximum number of transactions of each kind that wait for a session. */
const WAITING = 1000
/** Milliseconds that a transaction waits for a session at most. */
const WAIT_MILLISECONDS = 30_000

const BUSY = 'the database has too much to do; try again in a moment'

/** The part of a database that depends on the dialect. */
export interface Backend {
  readonly dialect: Dialect
  /** Opens a session. At any time, at most one for `write` and READERS for `read` are open. */
  session(kind: 'read' | 'write'): Promise<Session>
  /** Runs a statement outside a transaction. Counts as a `read` session. */
  ask?(sql: string, parameters: Parameters): Promise<unknown[]>
  /** Runs a statement synchronously, outside a transaction, so that callers need not wait for a session. */
  askNow?(sql: string, parameters: Parameters): unknown[]
  /** Returns the state of a database server. Absent for embedded databases, which depend on their disk. */
  availability?(): Promise<Availability>
  close(): Promise<void>
}

/** Implements Database on the sessions of a backend. */
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
    // storable checks the parameters and returns the same array.
    return this.#backend.askNow(sql, storable(parameters)) as Row[]
  }

  read<Result>(work: (rows: Rows) => Promise<Result>, options: AccessOptions = {}) {
    return this.#follow(this.#inTurn('read', work, options))
  }

  write<Result>(work: (transaction: Transaction) => Promise<Result>, options: AccessOptions = {}) {
    return this.#follow(this.#inTurn('write', work, options))
  }

  /** Runs a write transaction that may also run scripts of several statements. */
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
      return (await this.#backend.ask(sql, storable(parameters))) as Row[]
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
    // The timer and signals in #enter are only created if the caller must wait, because every request passes
    // here.
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

/** Runs `work` in a session. Rolls back if it fails. */
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
    // Pending statements settle before the rollback. Their errors are dropped, because `error` is the cause.
    await statements.end().catch(() => {})
    await session.rollback()
    throw error
  }
}
