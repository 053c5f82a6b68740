import type { Principal } from '../../shared/access/principal.ts'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Database, Transaction } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import type { LoadedDictionary } from '../dictionary/loaded-dictionary.ts'
import {
  acceptedAnswer,
  erroredAnswer,
  LEFT,
  type SubmissionAnswer,
  storedAnswer,
  UNEXPECTED,
  UNWRITTEN,
  WrittenAnswer,
} from './answers.ts'
import type { RegisteredProject } from './graph.ts'
import { LivingServers } from './living-servers.ts'
import { lockMessage } from './project-states.ts'
import { beginChange, findProject, setProjectState } from './store/projects.ts'
import {
  clearCommitter,
  endTransaction,
  finishTransaction,
  insertTransaction,
  type NewTransaction,
  type Operation,
  pendingTransactions,
  responseOf,
  setCommittedBy,
  storeResponse,
} from './store/transactions.ts'
import type { SubmissionValidator } from './submission-validator.ts'
import { type Turn, Turns } from './turns.ts'
import { fetchFacts, type Work } from './work.ts'

/** Maximum number of attempts to run a transaction if another server keeps changing its project. */
const MAX_ATTEMPTS = 20

export interface TransactionLimits {
  /** Maximum number of asynchronous transactions running, and waiting (submission.md 10.3). */
  readonly asyncAtOnce: number
  readonly asyncWaiting: number
  /** Maximum number of waiting transactions per project. */
  readonly projectWaiting: number
  /** Maximum total size in bytes of all submissions that wait or run. A single submission may exceed it. */
  readonly bytes: number
}

export const TRANSACTION_LIMITS: TransactionLimits = Object.freeze({
  asyncAtOnce: 8,
  asyncWaiting: 128,
  projectWaiting: 128,
  bytes: 512 << 20,
})

interface TransactionsOptions {
  readonly database: Database
  readonly dictionary: Pick<LoadedDictionary, 'current'>
  readonly validator: SubmissionValidator
  readonly turns: LoopTurns
  readonly clock: () => Date
  /** Monotonic clock in milliseconds. */
  readonly now?: (() => number) | undefined
  readonly limits: TransactionLimits
  /** Called when a transaction fails for a reason other than its input. */
  readonly onError: (error: unknown, transactionId: number) => void
}

/** A requested transaction. */
export interface TransactionRequest {
  readonly project: RegisteredProject
  /** The caller. Data of projects in which the caller has no right are not shown. */
  readonly principal: Principal
  readonly operation: Operation
  readonly isDryRun: boolean
  readonly isAsync: boolean
  /** HTTP status of a success. */
  readonly code: number
  /** Path of the request, for errors about the project's state. */
  readonly path: string
  /** Size of the input in bytes. In parsed form, the input takes a few times as much memory. */
  readonly bytes: number
  /** Dry run to commit, with a final check in the transaction that creates the record. */
  readonly commits?: {
    readonly id: number
    readonly check: (transaction: Transaction) => Promise<void>
  }
  /** Aborts when the client disconnects. A transaction that has not begun by then never begins. */
  readonly signal?: AbortSignal | undefined
}

/** Work of a transaction, and its record. */
export interface Prepared {
  readonly work: Work
  readonly record: Omit<NewTransaction, 'createdAt' | 'server'>
}

/**
 * Runs transactions (submission.md 7.1, 10). First, the record of the transaction is stored, durable and
 * visible. Then its work runs, one transaction per project at a time. At the end, the changes, the log and the
 * final state are stored together.
 */
export class Transactions {
  readonly #options: TransactionsOptions
  readonly #servers: LivingServers
  readonly #async: Turns
  readonly #projects = new Map<string, Turns>()
  readonly #running = new Set<Promise<unknown>>()
  /**
   * Transactions of this server that are over but whose records may still be PENDING, because the database was
   * unavailable when they ended, or did not confirm that they started.
   */
  readonly #unended = new Set<number>()
  #isAlone = true
  #bytes = 0
  #isClosed = false

  constructor(options: TransactionsOptions) {
    this.#options = options
    this.#servers = new LivingServers(options.database, options.now)
    const { asyncAtOnce, asyncWaiting } = options.limits
    this.#async = new Turns({ atOnce: asyncAtOnce, mostWaiting: asyncWaiting })
  }

  /**
   * Ends transactions of dead servers, which have stored nothing. Repeats this periodically, also for
   * transactions of this server that it could not end.
   * @returns the number of transactions that were ended
   */
  async start({ isAlone }: { readonly isAlone: boolean }): Promise<number> {
    const { onError } = this.#options
    this.#isAlone = isAlone
    this.#servers.start(
      () => this.beat(),
      (error) => onError(error, 0),
    )
    return this.#recover((transaction) =>
      isAlone ? this.#servers.beatAlone(transaction) : this.#servers.beat(transaction),
    )
  }

  /** Sends this server's heartbeat and ends abandoned transactions. */
  async beat(): Promise<number> {
    // An embedded database has no other servers.
    if (this.#isAlone && this.#unended.size === 0) return 0
    return this.#recover((transaction) => this.#servers.beat(transaction))
  }

  async #recover(
    living: (transaction: Transaction) => Promise<ReadonlySet<string>>,
  ): Promise<number> {
    const own = new Set(this.#unended)
    const isOwn = (id: number, server: string) => server === this.#servers.id && own.has(id)
    const ended = await this.#options.database.write(async (transaction) => {
      const alive = await living(transaction)
      const left = (await pendingTransactions(transaction)).filter(
        ({ id, server }) => !alive.has(server) || isOwn(id, server),
      )
      for (const { id } of left) await this.#error(transaction, id, UNEXPECTED)
      return left.length
    })
    for (const id of own) this.#unended.delete(id)
    return ended
  }

  /**
   * Runs a transaction, or starts it and returns at once if it is asynchronous.
   * @param prepare called when the transaction may run, because a parsed body takes memory
   * @throws EngineError `busy` if too many are waiting; `unavailable`; errors of `prepare` and `commits`
   *   before the record exists
   */
  async run(
    asked: TransactionRequest,
    prepare: () => Promise<Prepared>,
  ): Promise<SubmissionAnswer> {
    if (this.#isClosed) throw new EngineError('unavailable', 'the service is about to stop')
    const { project, isAsync } = asked
    const free = this.#hold(asked)
    let turn: Turn
    try {
      turn = isAsync ? this.#async.enter() : this.#turnOf(project, true)
    } catch (error) {
      free()
      throw error
    }
    let begun: Begun
    try {
      begun = await this.#follow(this.#prepare(asked, prepare))
    } catch (error) {
      this.#leave(turn, project)
      free()
      throw error
    }
    const { id } = begun
    const work = this.#inTurn(begun, turn).catch((error) => {
      this.#unended.add(id)
      throw error
    })
    const done = this.#follow(work.finally(free))
    if (!isAsync) return done
    done.catch((error) => this.#options.onError(error, id))
    return acceptedAnswer(id)
  }

  /**
   * Reserves memory for a transaction.
   * @throws EngineError `busy` if other transactions use too much of it
   */
  #hold({ bytes }: TransactionRequest): () => void {
    if (this.#bytes > 0 && this.#bytes + bytes > this.#options.limits.bytes) {
      const message = `${this.#bytes} bytes are waiting to be worked on already; try again later`
      throw new EngineError('busy', message, { retryAfterSeconds: 5 })
    }
    this.#bytes += bytes
    return () => {
      this.#bytes -= bytes
    }
  }

  #follow<Result>(done: Promise<Result>): Promise<Result> {
    this.#running.add(done)
    const forget = () => this.#running.delete(done)
    done.then(forget, forget)
    return done
  }

  /** Resolves when nothing is in progress. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
  }

  /** Rejects new transactions and drops waiting ones. Transactions in progress are completed. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.idle()
    // A failure is harmless, because other servers notice after a minute that this server is gone.
    await this.#servers.stop().catch((error) => this.#options.onError(error, 0))
  }

  async #prepare(asked: TransactionRequest, prepare: () => Promise<Prepared>): Promise<Begun> {
    const { work, record } = await prepare()
    return { ...asked, work, id: await this.#begin(asked, record) }
  }

  async #begin(
    { commits, signal }: TransactionRequest,
    record: Prepared['record'],
  ): Promise<number> {
    let made: number | undefined
    const begin = async (transaction: Transaction) => {
      await commits?.check(transaction)
      const server = this.#servers.id
      const createdAt = this.#options.clock().toISOString()
      const id = await insertTransaction(transaction, { ...record, createdAt, server })
      made = id
      // A transaction that did not begin leaves its number to the next one.
      this.#unended.delete(id)
      if (commits) await setCommittedBy(transaction, commits.id, id)
      return id
    }
    try {
      return await this.#options.database.write(begin, signal && { signal })
    } catch (error) {
      if (made !== undefined) this.#unended.add(made)
      throw error
    }
  }

  async #inTurn(begun: Begun, turn: Turn): Promise<SubmissionAnswer> {
    const { id, project, isAsync, signal } = begun
    try {
      if (!isAsync) {
        if (await hasCome(turn, signal)) return await this.#attempt(begun)
        return await this.#options.database.write((rows) => this.#error(rows, id, LEFT))
      }
      // The client has its response already.
      await turn.come
      const inner = this.#turnOf(project, false)
      try {
        await inner.come
        return await this.#attempt(begun)
      } finally {
        inner.leave()
      }
    } finally {
      this.#leave(turn, project)
    }
  }

  #leave(turn: Turn, { projectId }: RegisteredProject): void {
    turn.leave()
    if (this.#projects.get(projectId)?.isIdle) this.#projects.delete(projectId)
  }

  #turnOf({ projectId }: RegisteredProject, isBounded: boolean): Turn {
    const { projectWaiting, asyncAtOnce } = this.#options.limits
    const known = this.#projects.get(projectId)
    const turns = known ?? new Turns({ atOnce: 1, mostWaiting: projectWaiting + asyncAtOnce })
    if (!known) this.#projects.set(projectId, turns)
    return turns.enter(isBounded ? asyncAtOnce : 0)
  }

  async #attempt(begun: Begun): Promise<SubmissionAnswer> {
    const { id } = begun
    try {
      if (this.#isClosed) throw new EngineError('unavailable', 'the service is about to stop')
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const answer = await this.#tryOnce(begun)
        if (answer) return answer
      }
      throw new EngineError(
        'busy',
        'the project is changed by others all the time; try again later',
      )
    } catch (error) {
      this.#options.onError(error, id)
      const message = error instanceof EngineError ? UNWRITTEN : UNEXPECTED
      return this.#options.database.write((transaction) => this.#error(transaction, id, message))
    }
  }

  /** Runs the transaction once. Returns undefined if the project has changed since it was read. */
  async #tryOnce(begun: Begun): Promise<SubmissionAnswer | undefined> {
    const { project, conclusion } = await this.#validate(begun)
    const { success, statements, bytes: json } = conclusion
    const { id, isDryRun } = begun
    const state = success ? 'SUCCEEDED' : 'FAILED'
    const { database } = this.#options
    const isDone = await database.write(async (transaction) => {
      if (success && !isDryRun) {
        if (!(await beginChange(transaction, project))) return false
        for (const { sql, rows } of statements) await transaction.runEach(sql, rows)
        const { project: changed } = conclusion
        if (changed) await setProjectState(transaction, project.projectId, changed)
      }
      if (!(await endTransaction(transaction, id, state))) {
        throw new Error('a transaction that had not ended was ended by another process')
      }
      await storeResponse(transaction, database.dialect, { id, json })
      return true
    })
    return isDone ? new WrittenAnswer(id, conclusion) : undefined
  }

  async #validate({
    id,
    project: { program, code: name },
    work,
    path,
    principal,
    ...asked
  }: Begun) {
    const { database, dictionary, validator, turns, clock } = this.#options
    const { types } = await dictionary.current()
    const { project, facts } = await database.read(async (rows) => {
      const project = await findProject(rows, program, name)
      if (!project) throw new EngineError('not_found', 'the project is no longer registered')
      return { project, facts: await fetchFacts(rows, work, { project, principal, turns }) }
    })
    const { isDryRun, code, operation } = asked
    const isAdministrator = principal.admin
    const roles = principal.projects.get(project.projectId) ?? []
    const mayCorrect = isAdministrator || roles.includes('release')
    // The project may have been open when the transaction was accepted.
    const lock = lockMessage(project, operation, { path, isAdministrator })
    const now = clock().toISOString()
    const who = { isAdministrator, mayCorrect }
    const pending = { id, work, project, ...who, now, isDryRun, code, lock }
    return { project, conclusion: await validator.conclude(pending, facts, types) }
  }

  /** Ends a transaction that has stored nothing. If it has already ended, returns its stored response. */
  async #error(transaction: Transaction, id: number, message: string): Promise<SubmissionAnswer> {
    const answer = erroredAnswer(id, message)
    const responseJson = JSON.stringify(answer.body)
    if (await finishTransaction(transaction, id, { state: 'ERRORED', responseJson })) {
      await clearCommitter(transaction, id)
      return answer
    }
    // The database has stored the end of the transaction without confirming it.
    return storedAnswer(await responseOf(transaction, id)) ?? answer
  }
}

/** A transaction that has a record. */
interface Begun extends TransactionRequest {
  readonly id: number
  readonly work: Work
}

/** Resolves to whether the turn came before the signal aborted. */
async function hasCome({ come }: Turn, signal: AbortSignal | undefined): Promise<boolean> {
  if (!signal) return come.then(() => true)
  const { promise, resolve } = Promise.withResolvers<false>()
  const leave = () => resolve(false)
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    return await Promise.race([come.then(() => true), promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
